import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import type { MailQueue } from '#server/mail/queue.ts';

/** Where the board's scripts and templates lie. */
const uiBasePath = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));

/** The pages of bull-board on the mail queue, to be mounted at a path. */
export function createMailBoard({ bullQueue }: MailQueue, path: string): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(path);
  createBullBoard({ queues: [new BullMQAdapter(bullQueue)], serverAdapter, options: { uiBasePath } });
  const board = serverAdapter.getRouter();
  board.disable('x-powered-by');
  return board;
}
