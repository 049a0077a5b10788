import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { Database } from '#server/database/database.ts';
import { readHold } from '#server/database/hold.ts';
import { causeOf } from '#server/http/app-error.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { asksToPay, SENT_KEPT_S } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters, requeueLost } from '#server/mail/queue.ts';
import { linksEndAt } from '#server/registration/links.ts';
import { readRegistrations } from '#server/registration/read-registration.ts';
import type { Admission } from '#server/registration/waiting-list.ts';
import type { Clock } from '#server/service/clock.ts';
import type { Logger } from '#server/service/logger.ts';
import { recordTransactions } from '#server/stripe/account-transactions.ts';
import { fitPayments } from '#server/stripe/balance.ts';
import { catchUp as catchUpWithStripe } from '#server/stripe/catch-up.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import { fitCustomer } from '#server/stripe/hand-over.ts';
import type { Records } from '#server/stripe/record-payments.ts';
import { isThrottled } from '#server/stripe/stripe-calls.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import type { Facts } from '#shared/content/edition.ts';
import { isRegistrationOver, type RegistrationMode } from '#shared/content/moments.ts';
import { SENT_UNPAID_KEPT_DAYS } from '#shared/kept-for.ts';
import { type Circumstances, type Deed, type Due, dueOf } from './due.ts';
import { compareWithKept } from './kept-outside.ts';
import { chargeAll, type MoneyWatcher, refundAll } from './money-due.ts';
import { type DigestSources, queueDigests } from './office-digest.ts';
import { indexRow, refreshIndex, TOGETHER, writeIndex } from './registration-index.ts';
import { waitingNeeds, workOffWaiting } from './waiting-work.ts';

/** All of it is about the worker's rhythm: if Redis loses it, the worker catches up once more. */
const LAST_KEY = 'due-work:last';
const CAUGHT_UP_KEY = 'due-work:caught-up';
const TRANSACTIONS_ASKED_KEY = 'due-work:transactions-asked';

const CATCH_UP_EVERY_S = 15 * 60;

const lastSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** By the site's clock, in milliseconds since the epoch. */
    startedAt: v.number(),
    /** By the machine's. */
    endedAt: v.number(),
    /** How far the worker's clock is ahead of Stripe's, where that is too much for money to move. */
    clockAheadS: v.optional(v.number()),
  }),
);

/** When what was due was last done, by whichever worker; undefined before the first time. */
export async function readLastDueWork(redis: Redis): Promise<v.InferOutput<typeof lastSchema> | undefined> {
  const read = v.safeParse(lastSchema, await redis.get(LAST_KEY));
  return read.success ? read.output : undefined;
}

/** @param clockAheadS where no money moved, because the worker's clock was that far ahead of Stripe's */
export async function noteDueWork(redis: Redis, startedAt: Date, clockAheadS?: number): Promise<void> {
  const last = { startedAt: startedAt.getTime(), endedAt: Date.now(), clockAheadS };
  await redis.set(LAST_KEY, JSON.stringify(last));
}

/** Has the worker catch up with Stripe the next time that it does what is due. */
export async function askToCatchUp(redis: Redis): Promise<void> {
  await redis.del(CAUGHT_UP_KEY);
}

/** The same, with the transactions of the account, of which new ones are else listed once an hour. */
export async function askForTransactions(redis: Redis): Promise<void> {
  await redis.set(TRANSACTIONS_ASKED_KEY, 1);
  await askToCatchUp(redis);
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;
/** When something is tried again that could not be done. */
const RETRY_MS = QUARTER_MS;

/** If its clock differs more from Stripe's, the machine does not know what is due. */
const MOST_CLOCK_OFF_S = 10 * 60;

/** The most jobs of sent mails that are removed from the queue at once. */
const FORGET_AT_ONCE = 10_000;

export interface DueWorkDependencies {
  /** Made by `connectWorker`; closed by the caller. */
  redis: Redis;
  database: Database;
  payments: Payments;
  letterLog: LetterLog;
  admission: Admission;
  registration: RegistrationMode;
  /** Is notified of the results of charging and refunding. */
  money: MoneyWatcher;
  /** `BACKUP_DIR`: where a mark of the register is kept. */
  backupFolder?: string | undefined;
  logger: Logger;
  clock: Pick<Clock, 'now'>;
}

interface Looking extends DueWorkDependencies {
  /** Catches up with Stripe, unless this run of the worker has done so since a moment, or could not. */
  catchUpTo: (moment: Date) => Promise<void>;
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
  const { redis, database, payments, admission, registration, logger, clock } = dependencies;
  const startedAt = clock.now();
  const isOver = (facts: Facts) =>
    // The configured mode is about the edition on sale; other editions have their own dates.
    isRegistrationOver(facts, facts.id === onSale.id ? registration : 'auto', startedAt);
  if (await compareWithKept(dependencies)) await askToCatchUp(redis);
  // For one worker every quarter of an hour, and when it was asked for.
  const isCatchUpDue = (await redis.set(CAUGHT_UP_KEY, 1, 'EX', CATCH_UP_EVERY_S, 'NX')) !== null;
  let failure = isCatchUpDue ? await catchUp(dependencies) : undefined;
  let caughtUpAt = isCatchUpDue ? startedAt : undefined;
  const catchUpTo = async (moment: Date): Promise<void> => {
    if (failure || (caughtUpAt && caughtUpAt >= moment)) return;
    caughtUpAt = clock.now();
    failure = await catchUp(dependencies);
  };
  const looking = { ...dependencies, catchUpTo };
  const hold = await database.read(readHold);
  if (hold) {
    // The hold began while Stripe was read.
    if (!hold.readAt) await askToCatchUp(redis);
    // The office's list shows what was added.
    for (const { facts } of editions) await refreshIndex(database, facts, startedAt);
    throw (
      failure ?? new Error(`The register is held, nothing goes out before \`support release\`: ${hold.why}`)
    );
  }
  if (isCatchUpDue) await removeOld(queue, dependencies, startedAt);
  const ids = await findToLookAt(database, startedAt);
  const announced = ids.length > 0 ? await readAnnounced(payments, startedAt) : undefined;
  const circumstances = { now: startedAt, isOver, announced };
  const toCharge: string[] = [];
  const toRefund: string[] = [];
  for (let at = 0; at < ids.length; at += TOGETHER) {
    signal?.throwIfAborted();
    const found = await look(ids.slice(at, at + TOGETHER), circumstances, queue, looking);
    for (const { id, deeds } of found) {
      if (deeds.includes('charge')) toCharge.push(id);
      if (deeds.includes('refund')) toRefund.push(id);
    }
    await nextTurn();
  }
  await workOffWaiting({ now: startedAt, isOver }, { ...dependencies, ...admission, queue });
  const lost = await requeueLost(queue, dependencies.letterLog, startedAt);
  if (lost > 0) logger.warn({ letters: lost }, 'Letters that were owed had no job: they are queued');
  signal?.throwIfAborted();
  const clockAheadS = wrongClock(dependencies);
  if (!failure && clockAheadS === undefined) {
    const after = async (id: string): Promise<void> => {
      await look([id], { ...circumstances, now: clock.now() }, queue, looking, true);
    };
    const moving = { ...dependencies, now: clock.now, after, signal };
    await chargeAll(toCharge, moving);
    signal?.throwIfAborted();
    await refundAll(toRefund, moving);
  }
  if (isNewQuarter(startedAt, await readLastDueWork(redis)))
    await queueDigests(startedAt, digestSources(queue, dependencies), catchUpTo);
  if (failure) throw failure;
  if (caughtUpAt) await listTransactions(dependencies);
  await noteDueWork(redis, startedAt, clockAheadS);
}

export function digestSources(
  queue: LetterQueue,
  { database, letterLog, admission }: DueWorkDependencies,
): DigestSources {
  return {
    queue,
    letterLog,
    database,
    waitingNeeds: (edition, at) => waitingNeeds(edition, at, { queue, letterLog }, admission),
  };
}

/**
 * Brings the register to what Stripe says.
 * @returns why Stripe could not be read
 */
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

/** Removes what the privacy text promises not to keep. */
async function removeOld(queue: LetterQueue, { letterLog }: DueWorkDependencies, now: Date): Promise<void> {
  // BullMQ itself does so only when other mails are sent.
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
  // Anybody can have letters sent to people who have not paid: they must not fill Redis.
  for (const id of await letterLog.sentUnpaid(new Date(now.getTime() - SENT_UNPAID_KEPT_DAYS * DAY_MS)))
    await queue.remove(id);
  await letterLog.forgetAddresses(new Date(now.getTime() - SENT_KEPT_S * 1000));
}

/** Whether it is another quarter of an hour than the last time: a digest counts all registrations. */
function isNewQuarter(now: Date, last: { startedAt: number } | undefined): boolean {
  const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS);
  return last === undefined || quarterOf(last.startedAt) !== quarterOf(now.getTime());
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

/** What the office has announced about each edition whose registrants still have a page. */
async function readAnnounced(
  payments: Pick<Payments, 'database'>,
  now: Date,
): Promise<NonNullable<Circumstances['announced']>> {
  const open = editions.filter(({ facts }) => now < linksEndAt(facts));
  const announced = open.map(
    async (edition) => [edition.facts.id, await readAnnouncements(payments, edition)] as const,
  );
  return new Map(await Promise.all(announced));
}

/**
 * Looks at some registrations: queues the letters that are due, closes what is to be closed, and records what was found
 * and when to look next, unless they have changed meanwhile. Money is left to the caller.
 * @param isMoneyTried whether what is due of money was tried: until then it stays due
 */
async function look(
  ids: readonly string[],
  circumstances: Circumstances,
  queue: LetterQueue,
  { database, letterLog, payments, logger, catchUpTo }: Looking,
  isMoneyTried = false,
): Promise<{ id: string; deeds: readonly Deed[] }[]> {
  const { now } = circumstances;
  const all = await database.read((transaction) => readRegistrations(transaction, ids));
  const looked = [...all].map(([id, reading]) => ({
    id,
    row: reading.row,
    due: dueOf(reading, circumstances),
  }));
  for (const { id: registration, due } of looked) {
    const { attention: reason } = due;
    if (reason !== undefined)
      logger.error({ registration, reason }, 'A payment of this site needs a person to look at it');
  }
  const letters = looked.flatMap(({ due }) => due.letters);
  // What asks for money waits for catch-up where it is sent.
  if (letters.some(asksToPay)) await catchUpTo(now);
  await oweLetters(letters, { queue, letterLog, now });
  for (const { id, due } of looked) {
    for (const deed of due.deeds) await tryDeed(deed, id, now, payments, logger);
  }
  const rows = looked.map((one) => indexRow(one, now));
  await database.write(async (transaction) => {
    await writeIndex(transaction, rows);
    for (const { id, row, due } of looked) {
      const isMoneyDue = due.deeds.some((deed) => deed === 'charge' || deed === 'refund');
      if (isMoneyDue && !isMoneyTried) continue;
      await transaction
        .updateTable('registrations')
        .set({ nextAt: nextLookAt(due, now) })
        .where('id', '=', id)
        .where('version', '=', row.version)
        .execute();
    }
  });
  return looked.map(({ id, due: { deeds } }) => ({ id, deeds }));
}

/** Does what is due at once; money is left to the caller. */
async function tryDeed(
  deed: Deed,
  registration: string,
  now: Date,
  payments: DueWorkDependencies['payments'],
  logger: Logger,
): Promise<void> {
  if (deed === 'charge' || deed === 'refund') return;
  const works = {
    closing: closeUnpaid,
    'fit-balance': (records: Records, id: string) => fitPayments(records, id, now),
    'fit-customer': (records: Records, id: string) => fitCustomer(records, id, now),
  };
  const work = works[deed];
  try {
    if (await payments.ask(work, registration))
      logger.info({ registration, due: deed }, 'Done for a registration');
  } catch (error) {
    const facts = { err: error, registration, due: deed };
    if (isThrottled(error)) return logger.info(facts, 'Stripe throttles: what is due is done later');
    logger.error(facts, 'Something that is due for a registration could not be done');
  }
}

function nextLookAt({ next, deeds, attention }: Due, now: Date): Date | null {
  if (attention !== undefined) return new Date(now.getTime() + DAY_MS);
  const moments = [
    ...(next ? [next.getTime()] : []),
    ...(deeds.length > 0 ? [now.getTime() + RETRY_MS] : []),
  ];
  return moments.length > 0 ? new Date(Math.min(...moments)) : null;
}
