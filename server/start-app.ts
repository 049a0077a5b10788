import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '#server/database/database.ts';
import { createAdmission, watchPlaces } from '#server/registration/registration.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { readAppConfig } from './config/config.ts';
import { version } from './config/version.ts';
import { createApp } from './create-app.ts';
import { startProbe } from './database/open-database.ts';
import { createRegistrationLimits } from './intake/registration-limits.ts';
import { createLetterLog } from './letters/letter-log.ts';
import { createMailQueue } from './letters/queue.ts';
import { reportQueue } from './letters/queue-metrics.ts';
import { createOffice } from './office/create-office.ts';
import { openClock } from './ops/clock.ts';
import { connectProducer } from './ops/connect-redis.ts';
import { closeListeners, listen } from './ops/listen.ts';
import { Metrics } from './ops/metrics.ts';
import { runService } from './ops/run-service.ts';
import { connectStripe } from './stripe/connect-stripe.ts';
import { readAssets } from './web/assets.ts';
import { createOpsApp } from './web/create-ops-app.ts';
import { createLimiter } from './web/limiter.ts';
import { dueWorkBy } from './worker/due-work-queue.ts';
import { keepActs } from './worker/kept-outside.ts';

await runService('app', readAppConfig, async (config, logger) => {
  const clock = await openClock(config.clockUrl, logger);
  const assets = await readAssets(new URL('./', import.meta.url));
  const metrics = new Metrics('app');
  const redis = connectProducer(config.redisUrl, logger);
  const database = openDatabase(config.database.url, { afterActs: keepActs(redis, logger) });
  const registerProbe = await startProbe(database, logger);
  const letterLog = createLetterLog(database);
  const payments = connectStripe(config.stripe, database, metrics);
  const mailQueue = createMailQueue(redis, logger, { letterLog, now: clock.now });
  const limiter = createLimiter({
    redis,
    secrets: config.linkSecrets,
    settings: config.limits,
    logger,
    metrics,
  });
  const limits = createRegistrationLimits(limiter, config.office.phone, metrics);
  const admission = createAdmission({ database, deposits: payments.deposits, now: clock.now });
  const placesShown = watchPlaces(admission.places, facts, logger);
  reportQueue(metrics, mailQueue);

  const askForDueWork = dueWorkBy(redis, logger);
  let draining = false;
  const whyNotReady = () => (draining ? 'stopping' : registerProbe.whyNotReady());
  /** Before a stop the app still serves for a while, but asks proxies to send it no more visitors. */
  const drain = async (): Promise<void> => {
    draining = true;
    await delay(config.drainSeconds * 1000);
  };
  const app = createApp({
    config,
    logger,
    assets,
    metrics,
    database,
    payments,
    mailQueue,
    limits,
    placesShown,
    limiter,
    askForDueWork,
    ...admission,
    now: clock.now,
    whyNotReady,
  });
  const site = await listen(app, config.listen);
  const probes = {
    redis: mailQueue.isReady,
    stripe: payments.isReachable,
    register: registerProbe.isWritable,
  };
  const office = createOffice({
    config,
    logger,
    assets,
    metrics,
    database,
    payments,
    letterLog,
    admission,
    mailQueue,
    redis,
    limiter,
    registerProbe,
    askForDueWork,
    now: clock.now,
  });
  const { trustProxy, users } = config;
  const opsApp = createOpsApp(
    { probes, password: config.ops.password, metrics, logger, trustProxy, whyNotReady },
    office,
  );
  const ops = await listen(opsApp, config.ops);
  if (users.length === 0) logger.warn('Nobody can sign in to the office’s pages: OPS_USERS names no user');
  if (config.production && config.mail.eventsSecrets.length === 0)
    logger.warn('No mail provider tells of letters that did not arrive: MAIL_EVENTS_SECRET is not set');
  if (config.registration === 'open' && clock.now() >= new Date(facts.registration.closes)) {
    logger.warn('Registration is open although the retreat has begun: REGISTRATION=auto closes it by date');
  }
  logger.info({ version, site: site.url, ops: ops.url, payments: config.payments }, 'Listening');

  return [
    { name: 'drain', close: drain },
    { name: 'site and ops page', close: () => closeListeners(logger, site, ops) },
    { name: 'places', close: placesShown.close },
    { name: 'mail queue', close: mailQueue.close },
    { name: 'clock', close: async () => clock.close() },
    { name: 'probe of the register', close: registerProbe.close },
    { name: 'register', close: database.close },
  ];
});
