import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type Express, type RequestHandler } from 'express';
import type { MailQueue } from '#server/mail/queue.ts';
import { type HealthProbes, healthRoutes } from './health-routes.ts';
import { type Credentials, requirePassword } from './require-password.ts';

interface OpsDependencies {
  probes: HealthProbes;
  credentials: Credentials;
  mailQueue: MailQueue;
}

const BOARD_PATH = '/queues';

/** The operators' listener: health for the container, and the mail queue behind a password. */
export function createOpsApp({ probes, credentials, mailQueue }: OpsDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(probes));
  app.use(requirePassword(credentials));
  app.get('/', (_req, res) => res.redirect(BOARD_PATH));
  app.use(BOARD_PATH, whileReady(mailQueue), mailBoard(mailQueue));
  return app;
}

/** The board waits for Redis without end; whoever looks after the queue is told at once. */
function whileReady(mailQueue: MailQueue): RequestHandler {
  return (_req, res, next) => {
    if (mailQueue.isReady()) next();
    else res.status(503).type('text').send('Redis is away. The mails it holds are shown when it is back.\n');
  };
}

function mailBoard(mailQueue: MailQueue) {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({ queues: [new BullMQAdapter(mailQueue.bullQueue)], serverAdapter });
  return serverAdapter.getRouter();
}
