import type { TestContext } from 'node:test';
import express, { type Express, Router } from 'express';
import { addListPages } from '#server/office/list/list-pages.tsx';
import { createRegistrationIndex } from '#server/office/list/registration-index.ts';
import { createReadModel, type ReadModel } from '#server/register/read-model.ts';
import { noteSignedIn } from '#server/users/user.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { TestLog } from './test-log.ts';
import { openTestQueue } from './test-queue.ts';
import { type TestRedis, testRedis } from './test-redis.ts';

/** The office's list on a Redis of its own, with somebody signed in. */
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
  officeStyle?: string;
}

export async function startOfficeList(
  t: TestContext,
  { now, editions = [edition], officeStyle = '/static/css/office.css' }: OfficeListOptions,
): Promise<TestOfficeList> {
  const redis = await testRedis(t);
  const { queue, connection, log } = openTestQueue(t, redis);
  await log.until('Redis is connected');
  const readModel = createReadModel(connection, now);
  const index = createRegistrationIndex({ readModel, mailQueue: queue, now });
  const router = Router();
  addListPages(router, { assets: { officeStyle }, index, logger: log.logger, editions });
  const app = express();
  app.use((_req, res, next) => {
    noteSignedIn(res, { user: { name: 'Anna', role: 'office' }, token: 'token' });
    next();
  });
  app.use(router);
  return { app, readModel, queue, redis, log };
}
