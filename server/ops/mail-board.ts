import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { BeforeHookResult, HookContext } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import * as v from 'valibot';
import { causeOf } from '#server/http/app-error.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { type Audit, signedInOf } from '#server/users/user.ts';

/** The folder of the board's scripts and templates. */
const uiBasePath = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));

/** Records that the letter of a job must not be sent. */
export type Dismiss = (id: string) => Promise<void>;

/** The adapter supports `allowCompletedRetries`, its types do not yet. It hides buttons, but refuses no request. */
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
 * The pages of bull-board for the mail queue, to be mounted at a path behind the sign-in. Whatever buttons they show,
 * they can make only changes that neither lose a mail nor send one twice; each attempted change is logged.
 */
export function createMailBoard({ mailQueue, path, dismiss, audit }: MailBoardOptions): RequestHandler {
  const { bullQueue } = mailQueue;
  /** By the headers of the request, which are all that the board passes to its hook of the request itself. */
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

/** A requested change, by the board's own name for it, such as `queue put /mail/:jobId/retry`. */
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
/** The format of mail ids; the log contains nothing else that somebody sent. */
const JOB_ID = /^[\w-]{1,200}$/;

/** Sending is paused or resumed, and delayed mails are retried now. */
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

/** Lets harmless changes through; apart from these, failed mails can be retried, or one of them dismissed. */
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
  // The board itself answers that there is no such job.
  if (!job) return undefined;
  if (!(await job.isFailed())) return REFUSED;
  return route === `${JOB}/clean` ? dismissed(jobId, dismiss) : undefined;
}

/**
 * A failed mail is removed from the queue only after the dismissal was recorded: otherwise it would be queued again.
 */
async function dismissed(id: string, dismiss: Dismiss): Promise<BeforeHookResult> {
  try {
    await dismiss(id);
  } catch (error) {
    const message = `The mail is still here. The register could not record that it is not to be sent: ${causeOf(error).message}`;
    return { allow: false, status: 500, message };
  }
}
