import express, { Router } from 'express';
import request from 'supertest';
import type { AppConfig } from '#server/config/config.ts';
import { startStatusRecorder } from '#server/office/status/recorder.ts';
import { addStatusPage } from '#server/office/status/status-page.tsx';
import { noteSignedIn } from '#server/users/user.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { type SiteOptions, startTestSite } from './test-site.ts';

/** A register that is written and copied as it should be. */
export const registerProbe = { isWritable: () => true, isRestored: () => false, copiedAt: () => new Date() };

/** A test's site and its status page as a user of support sees it: always fresh, with a clock that the test moves. */
export async function startTestStatus(
  t: TestScope,
  options: SiteOptions & { launch?: AppConfig['launch'] } = {},
) {
  const site = await startTestSite(t, options);
  const { launch = site.config.launch } = options;
  const { connection: redis, mailQueue, payments, database, metrics, log, assets } = site;
  let at = new Date();
  const statusRecorder = startStatusRecorder({
    redis,
    mailQueue,
    payments,
    database,
    registerProbe,
    metrics,
    logger: log.logger,
    now: site.now,
    time: () => at,
    patienceMs: 10_000,
  });
  cleanUp(t, async () => statusRecorder.close());
  const router = Router();
  addStatusPage(router, { assets, statusRecorder, launch });
  const office = express();
  office.use((_req, res, next) => {
    res.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'",
    );
    noteSignedIn(res, { user: { name: 'Sam', role: 'support' }, token: 'token' });
    next();
  });
  office.use('/static', express.static(`${assets.publicFolder}/static`));
  office.use(router);
  return {
    ...site,
    office,
    statusRecorder,
    now: () => at,
    pass: (minutes: number) => {
      at = new Date(at.getTime() + minutes * 60_000);
    },
    /** Starts the Redis that was stopped, and waits until the app is connected again. */
    async bringRedisBack() {
      const ready = new Promise<void>((resolve) => redis.once('ready', resolve));
      await site.redis.start();
      await ready;
    },
    read: async () => (await request(office).get('/office/status').expect(200)).text,
    async standing(part: string) {
      const { status } = await statusRecorder.tell();
      const found = status.standings.find((one) => one.part === part);
      if (!found) throw new Error(`The status tells nothing of ${part}`);
      return found;
    },
  };
}
