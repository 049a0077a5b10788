import { openDatabase } from '#server/database/database.ts';
import { createAdmission, createLinks } from '#server/registration/registration.ts';
import { readWorkerConfig } from './config/config.ts';
import { version } from './config/version.ts';
import { startCopying } from './database/copies.ts';
import { startProbe } from './database/open-database.ts';
import { composeMessage } from './letters/compose-message.ts';
import { createLetterLog } from './letters/letter-log.ts';
import { startMailWorker } from './letters/mail-worker.ts';
import { createMailTransport, type MailSender } from './letters/send-mail.ts';
import { openClock } from './ops/clock.ts';
import { connectWorker } from './ops/connect-redis.ts';
import { closeListeners, listen } from './ops/listen.ts';
import { Metrics } from './ops/metrics.ts';
import { runService } from './ops/run-service.ts';
import { connectStripe } from './stripe/connect-stripe.ts';
import { createOpsApp } from './web/create-ops-app.ts';
import { startDueWork } from './worker/due-work-queue.ts';
import { afterFirstLook, keepActs } from './worker/kept-outside.ts';
import { createOutbox } from './worker/outbox.ts';
import { reportRegister } from './worker/registration-index.ts';

function reportCopies(metrics: Metrics): (at: Date) => void {
  const newest = metrics.gauge(
    'register_newest_copy_timestamp_seconds',
    'When the newest copy of the register was made, in seconds since the epoch; 0 before it is known',
  );
  return (at) => newest.set(at.getTime() / 1000);
}

/** Each on a connection of its own to the mail server. */
const MAILS_AT_ONCE = 5;

await runService('worker', readWorkerConfig, async (config, logger) => {
  const { from, transport, perSecond } = config.mail;
  const clock = await openClock(config.clockUrl, logger);
  const redis = connectWorker(config.redisUrl, logger);
  const metrics = new Metrics('worker');
  const { registration, backupFolder } = config;
  const { url } = config.database;
  const database = openDatabase(url, { afterActs: keepActs(redis, logger) });
  const registerProbe = await startProbe(database, logger);
  const copying =
    database.engine === 'sqlite' && backupFolder !== undefined
      ? startCopying({ url, folder: backupFolder, database, logger, onNewest: reportCopies(metrics) })
      : undefined;
  const letterLog = createLetterLog(database);
  const payments = connectStripe(config.stripe, database, metrics);
  const context = {
    office: config.office,
    siteUrl: config.publicUrl,
    officeUrl: config.officeUrl,
    links: createLinks(config.linkSecrets, config.publicUrl),
  };
  const sender: MailSender = {
    transport: createMailTransport(transport, MAILS_AT_ONCE),
    from,
    compose: (mail) => composeMessage(mail, context),
  };
  const admission = createAdmission({ database, deposits: payments.deposits, now: clock.now });
  const dueWork = startDueWork({
    redis,
    database,
    payments,
    letterLog,
    admission,
    registration,
    logger,
    clock,
    metrics,
    backupFolder,
  });
  reportRegister(metrics, database);
  const { findDigest } = dueWork;
  const outbox = createOutbox({
    database,
    ...admission,
    letterLog,
    now: clock.now,
    findDigest,
  });
  const worker = startMailWorker({
    redis,
    sender,
    logger,
    concurrency: MAILS_AT_ONCE,
    perSecond,
    outbox: afterFirstLook(outbox, { redis, database, backupFolder, logger }),
    metrics,
  });
  const probes = {
    redis: worker.isRunning,
    stripe: payments.isReachable,
    register: registerProbe.isWritable,
  };
  const { whyNotReady } = registerProbe;
  const health = createOpsApp({ probes, password: config.ops.password, metrics, logger, whyNotReady });
  const ops = await listen(health, config.ops);
  if (config.production && database.engine === 'sqlite' && !copying)
    logger.warn(
      'Nothing copies the register: BACKUP_DIR is not set, and a lost disk would be a lost register',
    );
  logger.info({ version, ops: ops.url }, 'Waiting for mails');

  return [
    { name: 'due work', close: dueWork.close },
    {
      name: 'mail worker and health',
      close: () => Promise.all([worker.close(), closeListeners(logger, ops)]),
    },
    { name: 'clock', close: async () => clock.close() },
    { name: 'Redis', close: async () => redis.disconnect() },
    { name: 'probe of the register', close: registerProbe.close },
    ...(copying ? [{ name: 'copies of the register', close: copying.close }] : []),
    { name: 'register', close: database.close },
  ];
});
