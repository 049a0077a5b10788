import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Email } from 'postal-mime';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { type MailServer, type SmtpRefusal, startMailServer as start } from '#scripts/product/mail-server.ts';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Mail } from '#server/letters/letter-kind.ts';
import type { Outbox } from '#server/letters/mail-worker.ts';
import { runCommand } from '#server/office/terminal/run-command.ts';
import { connectWorker } from '#server/ops/connect-redis.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { askToCatchUp, type DueWorkDependencies, runDueWork } from '#server/worker/due-work.ts';
import { askForDueWork as ask, dueWorkQueue, startDueWork } from '#server/worker/due-work-queue.ts';
import { createOutbox } from '#server/worker/outbox.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { type Charges, paymentIn, startCharges } from './test-charges.ts';
import { type RedisPatience, startTestWorker } from './test-queue.ts';
import type { TestRedis } from './test-redis.ts';
import { type SiteOptions, startTestSite, submitContact } from './test-site.ts';
import { type StageOptions, withRedis } from './test-stage.ts';

/** There is no such mailbox: the mail is not retried. */
export const REFUSED_FOR_GOOD: SmtpRefusal = { responseCode: 550, message: 'No such mailbox' };

/** Starts a mail server until the test is over. */
export async function startMailServer(t: TestScope): Promise<MailServer> {
  const server = await start();
  cleanUp(t, () => server.close());
  return server;
}

export type MailingOptions = SandboxOptions & RedisPatience & Pick<StageOptions, 'writesOnce'>;

/** Registrations in the payment sandbox, and all of `mailingFor`. */
export async function startMailing(t: TestScope, { redisHangs = false, ...options }: MailingOptions = {}) {
  return mailingFor(t, await startCharges(t, options), { redisHangs });
}

/**
 * The worker's part of the product beside a payment sandbox, on a Redis and a mail server of its own: it does what is
 * due when the test asks for it, and sends the mails that it queues. The clock is the payment sandbox's.
 */
export async function mailingFor<Given extends Parameters<typeof withRedis>[1] & Pick<Charges, 'moveTo'>>(
  t: TestScope,
  world: Given,
  patience: RedisPatience = {},
) {
  const stage = await withRedis(t, world, patience);
  const { payments, database, letterLog, now, redis, connection, log, admission } = stage;
  const { bullQueue } = stage.mailQueue;
  const mailServer = await startMailServer(t);
  /** Catches up with Stripe unless the test says otherwise, and does what is due. */
  const work = async ({
    catchesUp = true,
    ...changes
  }: Partial<DueWorkDependencies> & { catchesUp?: boolean } = {}) => {
    if (catchesUp) await askToCatchUp(connection);
    await runDueWork(bullQueue, {
      redis: connection,
      database,
      payments,
      letterLog,
      admission,
      metrics: new Metrics(),
      registration: 'auto',
      logger: log.logger,
      clock: { now },
      ...changes,
    });
  };
  /** Starts a worker, which by default looks at Stripe whether a mail is due. */
  const startWorker = (using: Outbox = stage.outbox) =>
    startTestWorker(t, { redis, mailServer, log, outbox: using, concurrency: 1 }).worker;
  /** Lets a worker try all queued mails, however long their retry is delayed; returns the kinds of those that arrived. */
  const sendAll = async (using?: Outbox): Promise<string[]> => {
    const before = mailServer.parsed.length;
    for (const job of await bullQueue.getDelayed()) await job.promote();
    const waiting = await bullQueue.getJobCountByTypes('waiting', 'prioritized');
    const tried = (): number => log.text().split(/"msg":"Mail (?:sent|not sent|failed)/).length - 1;
    const goal = tried() + waiting;
    const worker = startWorker(using);
    while (tried() < goal) await log.next();
    // This waits until what was sent is recorded.
    await worker.close();
    return mailServer.parsed.slice(before).map(kindOf).sort();
  };
  return {
    ...stage,
    bullQueue,
    mailServer,
    work,
    startWorker,
    sendAll,
    /** Does what is due at a moment, and sends the letters; returns the kinds of the mails that arrived. */
    async at(moment: Date): Promise<string[]> {
      if (moment > now()) world.moveTo(moment);
      await work();
      return sendAll();
    },
  };
}

const kindOf = ({ messageId = '' }: Email): string =>
  /^<(.+)-(?:reg_|january)/.exec(messageId)?.[1] ?? messageId;

type DueWorkOptions = Parameters<typeof startDueWork>[0];

/** What a test's worker has of its own. */
type WorkerOptions = Partial<
  Pick<DueWorkOptions, 'everyMs' | 'payments' | 'registration'> & DueWorkOptions['clock']
>;

/** The site, and functions to start the worker's part of the product. */
export async function startPost(t: TestScope, options: SiteOptions = {}) {
  const site = await startTestSite(t, options);
  const mailServer = await startMailServer(t);
  const { payments, letterLog } = site;
  const { metrics } = site;
  const startWorker = ({ now = () => new Date(), onMoved = () => {}, ...changes }: WorkerOptions = {}) => {
    const connection = connectWorker(site.redis.url, site.log.logger);
    cleanUp(t, async () => connection.disconnect());
    const dueWork = startDueWork({
      ...site,
      redis: connection,
      payments,
      registration: site.config.registration,
      logger: site.log.logger,
      metrics,
      clock: { now, onMoved },
      ...changes,
    });
    cleanUp(t, () => dueWork.close());
    const { worker } = startTestWorker(t, {
      redis: site.redis,
      log: site.log,
      mailServer,
      outbox: createOutbox({
        database: site.database,
        ...site.admission,
        letterLog,
        now,
        findDigest: dueWork.findDigest,
      }),
    });
    return { worker, dueWork, connection };
  };
  const lastDueWork = async (): Promise<number> => {
    const { values } = (await metrics.getSingleMetric(LAST_DUE_WORK)?.get()) ?? { values: [] };
    return values[0]?.value ?? Number.NaN;
  };
  return {
    ...site,
    metrics,
    mailServer,
    startWorker,
    /** Registers somebody. */
    async register() {
      const { body } = await submitContact(site.app).expect(200);
      const clientSecret = String(body.paymentIntentClientSecret);
      const payment = paymentIn(clientSecret);
      const id = registrationOf(await site.stripe.paymentIntents.retrieve(payment));
      /** She pays, and no event of it comes. */
      const payUnnoticed = () =>
        site.stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
      const pay = async () => {
        await payUnnoticed();
        await site.sync(id);
      };
      return { id, payment, clientSecret, pay, payUnnoticed };
    },
    askForDueWork: () => askForDueWork(site),
    /** When all that was due was last done, in seconds since the epoch; 0 before the first time. */
    lastDueWork,
    /** Waits until all that was due has been done, since a moment in seconds. */
    async untilWorked(since = 1): Promise<void> {
      while ((await lastDueWork()) < since) await setImmediate();
    },
    /** Waits until this many mails have arrived and are recorded; returns the kinds of all, sorted. */
    async untilSent(count: number): Promise<string[]> {
      while (mailServer.parsed.length < count) await mailServer.nextMail();
      await site.log.until('Mail sent', count);
      return mailServer.parsed.map(kindOf).sort();
    },
  };
}

/** Asks the worker on a Redis to catch up with Stripe, and to do what is due. */
export async function askForDueWork({ redis }: { redis: TestRedis }): Promise<void> {
  const connection = new Redis(redis.url);
  await askToCatchUp(connection);
  await ask(dueWorkQueue(connection));
  connection.disconnect();
}

const LAST_DUE_WORK = 'due_work_last_success_timestamp_seconds';

/** What `startPost` returns. */
export type Post = Awaited<ReturnType<typeof startPost>>;

/** A command, its exit code, and what it prints: to standard output if it is done, else to standard error. */
export type CommandRow = readonly [command: string, code: number, ...prints: RegExp[]];

/** `startMailing`, and support's command line, at the present moment unless the test chooses another. */
export async function startSupport(t: TestScope, sandboxOptions: SandboxOptions = {}) {
  const mailing = await startMailing(t, { startsAt: new Date(), ...sandboxOptions });
  const { redis, databaseUrl, sandbox, mailQueue, mailServer, log, begin } = mailing;
  const env = {
    ...leastEnvironment,
    REDIS_URL: redis.url,
    DATABASE_URL: databaseUrl,
    PAYMENTS: 'sandbox',
    STRIPE_API_BASE: sandbox.url,
    CLOCK: 'sandbox',
  };
  return {
    ...mailing,
    /** Runs commands one after the other; `names` stand for ids in them. */
    async check(rows: readonly CommandRow[], names: Readonly<Record<string, string>>): Promise<void> {
      const ids = Object.entries(names);
      for (const [command, code, ...prints] of rows) {
        const named = ids.reduce((all, [name, id]) => all.replace(name, id), command);
        const words = named.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
        const { out, err, ...ended } = await runCommand(
          words.map((word) => word.replaceAll('"', '')),
          env,
        );
        assert.deepEqual([ended.code, code === 0 ? err : out], [code, ''], `${command}: ${err}`);
        const shown = ids.reduce((all, [name, id]) => all.replaceAll(id, name), out + err);
        for (const print of prints) assert.match(shown, print, command);
        assert.doesNotMatch(shown, /[^\P{C}\n]/u, command);
      }
    },
    run: (...words: string[]) => runCommand(words, env),
    begin: (who: Parameters<typeof begin>[0] = {}) =>
      begin({ timeZone: 'Europe/Berlin', isSamePerson: true, ...who }),
    /** Lets a worker try to send mails that the mail server refuses; then closes the worker and ends the refusal. */
    async failToSend(refusal: SmtpRefusal, ...mails: Mail[]): Promise<void> {
      mailServer.refuse(refusal);
      // It sends every queued mail, whether it is due or not.
      const { worker } = startTestWorker(t, { redis, mailServer, log, concurrency: 1 });
      const before = log.text().split('Mail failed').length - 1;
      await mailQueue.add(...mails);
      await log.until('Mail failed', before + mails.length);
      await worker.close();
      mailServer.refuse(undefined);
    },
  };
}
