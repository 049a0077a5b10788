import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { BoardHooks } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { Job } from 'bullmq';
import type { RequestHandler } from 'express';
import * as v from 'valibot';
import { type MailJob, type MailQueue, mailOf } from '#server/mail/queue.ts';

/** Where the board's scripts and templates lie. */
const uiBasePath = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));

/** Writes down that a mail is not to be sent, where it stands that it is owed. */
export type Dismiss = (mail: MailJob) => Promise<void>;

/**
 * The pages of bull-board on the mail queue, to be mounted at a path. Failed mails that are removed there are dismissed:
 * else they would be queued again.
 */
export function createMailBoard({ bullQueue }: MailQueue, path: string, dismiss: Dismiss): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(path);
  const before: BeforeHook = async (context) => {
    for (const job of await jobsToBeRemoved(bullQueue, context)) {
      const mail = mailOf(job.data);
      if (mail) await dismiss(mail);
    }
  };
  createBullBoard({
    queues: [new BullMQAdapter(bullQueue)],
    serverAdapter,
    options: { uiBasePath, handlerHooks: { before } },
  });
  const board = serverAdapter.getRouter();
  board.disable('x-powered-by');
  return board;
}

type BeforeHook = NonNullable<BoardHooks['before']>;

/** The failed jobs that a request to the board takes off the queue. */
async function jobsToBeRemoved(
  queue: MailQueue['bullQueue'],
  { route, request }: Parameters<BeforeHook>[0],
): Promise<Job<MailJob>[]> {
  const { jobId, queueStatus } = v.parse(removalSchema, request?.params ?? {});
  if (route.endsWith('/clean/:queueStatus')) return queueStatus === 'failed' ? queue.getFailed() : [];
  if (!route.endsWith('/:jobId/clean') || jobId === undefined) return [];
  const job = await queue.getJob(jobId);
  return job && (await job.isFailed()) ? [job] : [];
}

const removalSchema = v.object({ jobId: v.optional(v.string()), queueStatus: v.optional(v.string()) });
