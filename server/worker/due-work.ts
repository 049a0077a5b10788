import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import type { Database } from '#server/database/database.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import { type LetterQueue, requeueLost, SENT_KEPT_S } from '#server/letters/queue.ts';
import type { Clock } from '#server/ops/clock.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { type Admission, linksEndAt, readHold } from '#server/registration/registration.ts';
import { catchUp as catchUpWithStripe, recordTransactions } from '#server/stripe/catch-up.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { causeOf } from '#server/web/app-error.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Facts } from '#shared/content/edition.ts';
import { isRegistrationOver, type RegistrationMode } from '#shared/content/moments.ts';
import { SENT_UNPAID_KEPT_DAYS } from '#shared/kept-for.ts';
import type { Circumstances } from './due.ts';
import { compareWithKept } from './kept-outside.ts';
import { chargeAll, look, refreshIndex, refundAll, wakeAll } from './look.ts';
import { queueDigests } from './office-digest.ts';
import { workOffWaiting } from './waiting-work.ts';

/** All of it is about the worker's rhythm: if Redis loses it, the worker catches up once more. */
const LAST_KEY = 'due-work:last';
const CAUGHT_UP_KEY = 'due-work:caught-up';
const TRANSACTIONS_ASKED_KEY = 'due-work:transactions-asked';

const QUARTER_MS = 15 * 60 * 1000;

const lastSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** By the site's clock, in milliseconds since the epoch. */
    startedAt: v.number(),
    endedAt: v.number(),
    /** How far the worker's clock is ahead of Stripe's, where that is too much for money to move. */
    clockAheadS: v.optional(v.number()),
  }),
);

export async function readLastDueWork(redis: Redis): Promise<v.InferOutput<typeof lastSchema> | undefined> {
  const read = v.safeParse(lastSchema, await redis.get(LAST_KEY));
  return read.success ? read.output : undefined;
}

/** @param clockAheadS where no money moved, because the worker's clock was that far ahead of Stripe's */
export async function noteDueWork(redis: Redis, startedAt: Date, clockAheadS?: number): Promise<void> {
  const last = { startedAt: startedAt.getTime(), endedAt: Date.now(), clockAheadS };
  await redis.set(LAST_KEY, JSON.stringify(last));
}

export async function askToCatchUp(redis: Redis): Promise<void> {
  await redis.del(CAUGHT_UP_KEY);
}

/** The same, with the transactions of the account, of which new ones are else listed once an hour. */
export async function askForTransactions(redis: Redis): Promise<void> {
  await redis.set(TRANSACTIONS_ASKED_KEY, 1);
  await askToCatchUp(redis);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** If its clock differs more from Stripe's, the machine does not know what is due. */
const MOST_CLOCK_OFF_S = 10 * 60;

const FORGET_AT_ONCE = 10_000;

export interface DueWorkDependencies {
  redis: Redis;
  database: Database;
  payments: Payments;
  letterLog: LetterLog;
  admission: Admission;
  registration: RegistrationMode;
  metrics: Pick<Metrics, 'count'>;
  backupFolder?: string | undefined;
  logger: Logger;
  clock: Pick<Clock, 'now'>;
}

/**
 * Does what is due: catches up with Stripe if it is time for that, looks at the registrations whose moment has come, and
 * then moves money. It may stop anywhere: what was not done is still due. While Stripe cannot be read, no money moves.
 * @param signal aborts once another worker may have taken over
 * @throws {Error} when Stripe cannot be read, then everything but money is done; or when the register is held, then nothing
 *   is
 */
export async function runDueWork(
  queue: LetterQueue,
  dependencies: DueWorkDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const { redis, database, letterLog, admission, registration, logger, clock } = dependencies;
  const startedAt = clock.now();
  if (await compareWithKept(dependencies)) await askToCatchUp(redis);
  let failure: Error | undefined;
  let caughtUpAt: Date | undefined;
  const catchUpTo = async (moment: Date): Promise<void> => {
    if (failure || (caughtUpAt && caughtUpAt >= moment)) return;
    caughtUpAt = clock.now();
    failure = await catchUp(dependencies);
  };
  // For one worker every quarter of an hour, and when it was asked for.
  const isCatchUpDue = (await redis.set(CAUGHT_UP_KEY, 1, 'PX', QUARTER_MS, 'NX')) !== null;
  if (isCatchUpDue) await catchUpTo(startedAt);

  const hold = await database.read(readHold);
  if (hold) {
    // The hold began while Stripe was read.
    if (!hold.readAt) await askToCatchUp(redis);
    for (const edition of editions) await refreshIndex(database, edition, startedAt);
    throw (
      failure ?? new Error(`The register is held, nothing goes out before \`support release\`: ${hold.why}`)
    );
  }

  const isOver = (facts: Facts) =>
    // The configured mode is about the edition on sale; other editions have their own dates.
    isRegistrationOver(facts, facts.id === onSale.id ? registration : 'auto', startedAt);
  const looking = { ...dependencies, queue, catchUpTo, signal };
  await database.write((transaction) => wakeAll(transaction, startedAt));
  const ids = await findToLookAt(database, startedAt);
  const announced = ids.length > 0 ? await readAnnounced(database, startedAt) : undefined;
  const circumstances = { now: startedAt, isOver, announced };
  const moneyDue = await look(ids, circumstances, looking);
  await workOffWaiting(circumstances, { ...dependencies, ...admission, queue });
  const lost = await requeueLost(queue, letterLog, startedAt);
  if (lost > 0) logger.warn({ letters: lost }, 'Letters that were owed had no job: they are queued');

  const clockAheadS = wrongClock(dependencies);
  if (!failure && clockAheadS === undefined) {
    const after = async (id: string): Promise<void> => {
      await look([id], { ...circumstances, now: clock.now() }, looking, true);
    };
    const moving = { ...dependencies, now: clock.now, after, signal };
    await chargeAll(moneyDue.charge, moving);
    await refundAll(moneyDue.refund, moving);
  }
  signal?.throwIfAborted();

  if (isCatchUpDue) await removeOld(queue, dependencies, startedAt);
  if (isNewQuarter(startedAt, await readLastDueWork(redis)))
    await queueDigests(startedAt, { ...dependencies, queue }, catchUpTo);
  if (failure) throw failure;
  if (caughtUpAt) await listTransactions(dependencies);
  await noteDueWork(redis, startedAt, clockAheadS);
}

/** Whether it is another quarter of an hour than the last time, by the site's clock: a digest counts all registrations. */
function isNewQuarter(now: Date, last: { startedAt: number } | undefined): boolean {
  const quarterOf = (ms: number) => Math.floor(ms / QUARTER_MS);
  return last === undefined || quarterOf(last.startedAt) !== quarterOf(now.getTime());
}

/** @returns why Stripe could not be read */
async function catchUp({ redis, payments, logger, clock }: DueWorkDependencies): Promise<Error | undefined> {
  try {
    for (const error of await payments.ask(catchUpWithStripe, clock.now()))
      logger.error({ err: error }, 'Something that Stripe says cannot be taken: a person must look');
    return undefined;
  } catch (error) {
    await askToCatchUp(redis);
    return causeOf(error);
  }
}

/** For the books, which say up to when they are known: so a failure stops nothing else. */
async function listTransactions({ redis, payments, logger, clock }: DueWorkDependencies): Promise<void> {
  try {
    const isAsked = (await redis.del(TRANSACTIONS_ASKED_KEY)) > 0;
    await payments.ask(recordTransactions, clock.now(), isAsked);
  } catch (error) {
    logger.warn({ err: error }, 'The transactions of the Stripe account could not be listed');
  }
}

async function removeOld(queue: LetterQueue, { letterLog }: DueWorkDependencies, now: Date): Promise<void> {
  // BullMQ itself does so only when other mails are sent.
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
  // Anybody can have letters sent to people who have not paid: they must not fill Redis.
  for (const id of await letterLog.sentUnpaid(new Date(now.getTime() - SENT_UNPAID_KEPT_DAYS * DAY_MS)))
    await queue.remove(id);
  await letterLog.forgetAddresses(new Date(now.getTime() - SENT_KEPT_S * 1000));
}

/** How far this machine's clock is ahead of Stripe's, in seconds; undefined where it is right enough to move money. */
function wrongClock({ payments, logger }: DueWorkDependencies): number | undefined {
  const clockAheadS = payments.clockAheadS();
  if (Math.abs(clockAheadS) <= MOST_CLOCK_OFF_S) return undefined;
  logger.error({ clockAheadS }, 'The clock of this machine is wrong: no money moves until it is right');
  return clockAheadS;
}

async function findToLookAt(database: Database, now: Date): Promise<string[]> {
  const rows = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select('id')
      .where('nextAt', '<=', now)
      .orderBy('nextAt')
      .execute(),
  );
  return rows.map(({ id }) => id);
}

async function readAnnounced(database: Database, now: Date): Promise<Circumstances['announced']> {
  const open = editions.filter(({ facts }) => now < linksEndAt(facts));
  const announced = open.map(
    async (edition) => [edition.facts.id, await readAnnouncements({ database }, edition)] as const,
  );
  return new Map(await Promise.all(announced));
}
