import express, { type Express, Router } from 'express';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { listen } from '#server/http/listen.ts';
import { addListPages } from '#server/office/list/list-pages.tsx';
import { createRegistrationIndex } from '#server/office/list/registration-index.ts';
import { readAssets } from '#server/page/assets.ts';
import { createReadModel, type ReadModel } from '#server/register/read-model.ts';
import { createAudit } from '#server/users/audit.ts';
import { noteSignedIn } from '#server/users/user.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import type { TestLog } from './test-log.ts';
import { openTestQueue } from './test-queue.ts';
import { type TestRedis, testRedis } from './test-redis.ts';

/** On a busy machine it takes longer to read many registrations. */
export const LIST_TIMES = { timeoutMs: 120_000 };

/** The office's list on its own Redis, with a user signed in. */
export interface TestOfficeList {
  app: Express;
  readModel: ReadModel;
  queue: ReturnType<typeof openTestQueue>['queue'];
  redis: TestRedis;
  log: TestLog;
}

interface OfficeListOptions {
  now: () => Date;
  editions?: readonly [Edition, ...Edition[]];
}

export async function startOfficeList(
  t: TestScope,
  { now, editions = [edition] }: OfficeListOptions,
): Promise<TestOfficeList> {
  const assets = await readAssets(new URL('../../dist/', import.meta.url));
  const redis = await testRedis(t);
  const { queue, connection, log } = openTestQueue(t, redis);
  await log.until('Redis is connected');
  const readModel = createReadModel(connection, now);
  const index = createRegistrationIndex({ readModel, mailQueue: queue, now, times: LIST_TIMES });
  const router = Router();
  const audit = createAudit(log.logger);
  const capacity = capacityInRedis(connection, now);
  addListPages(router, { assets, index, capacity, logger: log.logger, audit, editions });
  const app = express();
  app.use((_req, res, next) => {
    noteSignedIn(res, { user: { name: 'Anna', role: 'office' }, token: 'token' });
    next();
  });
  app.use(router);
  app.use(express.static(assets.publicFolder));
  return { app, readModel, queue, redis, log };
}

/** Lets the app listen until the test is over, for a browser or for many requests. */
export async function serveOfficeList(t: TestScope, { app }: TestOfficeList): Promise<string> {
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(t, () => server.close());
  return server.url;
}
