import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { BeforeHookResult, HookContext } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import * as v from 'valibot';
import { causeOf } from '#server/http/app-error.ts';
import { type MailJob, mailOf } from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Audit } from '#server/users/audit.ts';
import { signedInOf } from '#server/users/user.ts';

/** Where the board's scripts and templates lie. */
const uiBasePath = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));

/** Records that a mail is not to be sent, where it is recorded that it is owed. */
export type Dismiss = (mail: MailJob) => Promise<void>;

/** The adapter knows `allowCompletedRetries`, its types do not yet. It hides buttons and refuses no request. */
const ADAPTER_OPTIONS = {
  description: 'Retry failed mails, promote delayed ones, or clean one failed mail: it is then never sent.',
  allowCompletedRetries: false,
};

interface MailBoardOptions {
  mailQueue: MailQueue;
  /** Where it is mounted. */
  path: string;
  dismiss: Dismiss;
  audit: Audit;
}

/**
 * The pages of bull-board on the mail queue, to be mounted at a path behind the sign-in. They can change only what neither
 * loses a mail nor sends one twice, whatever buttons they show; each change that somebody tries has a line in the log.
 */
export function createMailBoard({ mailQueue, path, dismiss, audit }: MailBoardOptions): RequestHandler {
  const { bullQueue } = mailQueue;
  /** By the headers of its request: of that itself, the board hands its hook nothing else. */
  const changes = new WeakMap<object, Change>();
  const before = async (context: HookContext): Promise<BeforeHookResult> => {
    if (context.method === 'get') return undefined;
    changes.set(context.request.headers, changeOf(context));
    return admit(context, bullQueue, dismiss);
  };
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(path);
  createBullBoard({
    queues: [new BullMQAdapter(bullQueue, ADAPTER_OPTIONS)],
    serverAdapter,
    options: { uiBasePath, handlerHooks: { before } },
  });
  const board = serverAdapter.getRouter();
  board.disable('x-powered-by');
  return (req, res, next) => {
    const { user } = signedInOf(res);
    res.once('close', () => {
      const change = changes.get(req.headers);
      if (change) audit(user, change.act, { mail: change.mail, outcome: outcomeOf(res.statusCode) });
    });
    board(req, res, next);
  };
}

/** What somebody wants to change, by the board's own name for it, such as `queue put /mail/:jobId/retry`. */
interface Change {
  act: string;
  mail: string | undefined;
}

function changeOf({ method, route, request }: HookContext): Change {
  const { jobId, queueStatus } = v.parse(paramsSchema, request.params);
  const path = route.replace('/api/queues', '').replace(':queueName', 'mail');
  const isMail = JOB_ID.test(jobId);
  return {
    act: `queue ${method} ${path}${queueStatus === 'failed' ? ' of failed ones' : ''}`,
    mail: isMail ? jobId : undefined,
  };
}

function outcomeOf(status: number): 'done' | 'refused' | 'failed' {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

const QUEUE = '/api/queues/:queueName';
const JOB = `${QUEUE}/:jobId`;
/** What the ids of mails are made of; the log holds nothing else that somebody sent. */
const JOB_ID = /^[\w-]{1,200}$/;

/** Sending stops or goes on, and mails that wait for their next try are tried now. */
const HARMLESS_CHANGES = new Set([
  '/api/queues/pause',
  '/api/queues/resume',
  `${QUEUE}/pause`,
  `${QUEUE}/resume`,
  `${QUEUE}/promote`,
  `${JOB}/promote`,
]);

const REFUSED = {
  allow: false,
  status: 403,
  message:
    'This page does not do that: a mail could be lost or sent twice. The support program may help instead.',
} as const;

const paramsSchema = v.object({
  queueName: v.optional(v.string()),
  jobId: v.optional(v.string(), ''),
  queueStatus: v.optional(v.string()),
});

/** Lets harmless changes through; besides, failed mails can be tried again, or one of them dismissed. */
async function admit(
  { route, request }: HookContext,
  queue: MailQueue['bullQueue'],
  dismiss: Dismiss,
): Promise<BeforeHookResult> {
  if (HARMLESS_CHANGES.has(route)) return undefined;
  const { queueName, jobId, queueStatus } = v.parse(paramsSchema, request.params);
  if (route === `${QUEUE}/retry/:queueStatus`) return queueStatus === 'failed' ? undefined : REFUSED;
  if (route !== `${JOB}/retry` && route !== `${JOB}/clean`) return REFUSED;
  const job = queueName === queue.name ? await queue.getJob(jobId) : undefined;
  // The board itself answers that there is none.
  if (!job) return undefined;
  if (!(await job.isFailed())) return REFUSED;
  return route === `${JOB}/clean` ? dismissed(job.data, dismiss) : undefined;
}

/** A failed mail leaves the queue only once that is recorded: otherwise it would be queued again. */
async function dismissed(data: unknown, dismiss: Dismiss): Promise<BeforeHookResult> {
  const mail = mailOf(data);
  try {
    if (mail) await dismiss(mail);
  } catch (error) {
    const message = `The mail is still here. Stripe could not record that it is not to be sent: ${causeOf(error).message}`;
    return { allow: false, status: 500, message };
  }
}
