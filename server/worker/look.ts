import type { Logger } from '#server/config/logger.ts';
import { AT_ONCE, type Database, type Transaction } from '#server/database/database.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/letters/queue.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { reasonOfDecline } from '#server/registration/registration.ts';
import { fitPayments } from '#server/stripe/balance.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import { fitCustomer } from '#server/stripe/hand-over.ts';
import type { Records } from '#server/stripe/record-payments.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { isThrottled } from '#server/stripe/stripe-calls.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type Circumstances, type Deed, type Due, dueOf, lastMomentOf } from './due.ts';
import { readTogether } from './registration-index.ts';
import { LONGEST_WAIT_MS } from './waiting-work.ts';

interface Looking {
  database: Database;
  letterLog: LetterLog;
  payments: Pick<Payments, 'ask'>;
  logger: Logger;
  queue: LetterQueue;
  catchUpTo: (moment: Date) => Promise<void>;
  signal: AbortSignal | undefined;
}

/**
 * Looks at some registrations: queues the letters that are due, does what is due at Stripe, and records what was found and
 * when to look next, unless they have changed meanwhile.
 * @param isMoneyTried whether what is due of money was tried: until then it stays due
 * @returns of which of them money is due
 */
export async function look(
  ids: readonly string[],
  circumstances: Circumstances,
  looking: Looking,
  isMoneyTried = false,
): Promise<MoneyDue> {
  const { database, letterLog, queue, logger, catchUpTo, signal } = looking;
  const { now } = circumstances;
  const moneyDue: MoneyDue = { charge: [], refund: [] };
  for await (const readings of readTogether({ database }, ids)) {
    signal?.throwIfAborted();
    const looked = [...readings.values()].map((reading) => dueOf(reading, circumstances));
    const letters = looked.flatMap((due) => due.letters);
    // What asks for money waits for catch-up where it is sent.
    if (letters.some(({ asksToPay }) => asksToPay)) await catchUpTo(now);
    await oweLetters(letters, { queue, letterLog, now });
    for (const { deeds, row } of looked) {
      const { registration, attention } = row;
      if (attention !== null)
        logger.error(
          { registration, reason: attention },
          'A payment of this site needs a person to look at it',
        );
      for (const deed of deeds) {
        if (isMoney(deed)) moneyDue[deed].push(registration);
        else await tryDeed(deed, registration, now, looking);
      }
    }
    await database.write(async (transaction) => {
      await writeIndex(
        transaction,
        looked.map(({ row }) => row),
      );
      for (const { deeds, row } of looked) {
        if (!isMoneyTried && deeds.some(isMoney)) continue;
        await transaction
          .updateTable('registrations')
          .set({ nextAt: row.validUntil })
          .where('id', '=', row.registration)
          .where('version', '=', row.version)
          .execute();
      }
    });
  }
  return moneyDue;
}

type MoneyDue = Record<'charge' | 'refund', string[]>;

function isMoney(deed: Deed): deed is keyof MoneyDue {
  return deed === 'charge' || deed === 'refund';
}

const works: Record<
  Exclude<Deed, keyof MoneyDue>,
  (records: Records, registration: string, now: Date) => Promise<boolean>
> = {
  closing: (records, registration) => closeUnpaid(records, registration),
  'fit-customer': fitCustomer,
  'fit-balance': fitPayments,
};

async function tryDeed(
  deed: keyof typeof works,
  registration: string,
  now: Date,
  { payments, logger }: Looking,
): Promise<void> {
  const facts = { registration, due: deed };
  try {
    if (await payments.ask(works[deed], registration, now)) logger.info(facts, 'Done for a registration');
  } catch (error) {
    const failed = { err: error, ...facts };
    if (isThrottled(error)) logger.info(failed, 'Stripe throttles: what is due is done later');
    else logger.error(failed, 'Something that is due for a registration could not be done');
  }
}

/** Writes rows of the index. They are made before the transaction, which would keep all other writers waiting. */
async function writeIndex(transaction: Transaction, rows: readonly Due['row'][]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ registration }) => registration);
  await transaction.deleteFrom('registrationIndex').where('registration', 'in', ids).execute();
  await transaction.insertInto('registrationIndex').values(rows).execute();
}

/** Has the index of an edition say what is true now: the worker may not have looked yet at what has changed. */
export async function refreshIndex(database: Database, edition: Edition, now: Date): Promise<void> {
  const outdated = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .leftJoin('registrationIndex', 'registrationIndex.registration', 'registrations.id')
      .select('registrations.id')
      .where('registrations.edition', '=', edition.facts.id)
      .where(({ eb, or, ref }) =>
        or([
          eb('registrationIndex.version', 'is', null),
          eb('registrationIndex.version', '<', ref('registrations.version')),
          eb('registrationIndex.validUntil', '<=', now),
          eb('registrationIndex.lookedAt', '<', lastMomentOf(edition, now)),
          // The clock was ahead then.
          eb('registrationIndex.lookedAt', '>', now),
        ]),
      )
      .execute(),
  );
  const ids = outdated.map(({ id }) => id);
  // `wakeAll` goes by `lookedAt`, which is about to change.
  if (ids.length > 0) await database.write((transaction) => wakeAll(transaction, now));
  for await (const some of readTogether({ database }, ids)) {
    const rows = [...some.values()].map((reading) => dueOf(reading, { now, isOver: () => false }).row);
    await database.write((transaction) => writeIndex(transaction, rows));
  }
}

/** All of an edition of which a moment has passed; where the clock was put back, who waits too. */
export async function wakeAll(transaction: Transaction, now: Date): Promise<void> {
  for (const edition of editions) {
    const lastMoment = lastMomentOf(edition, now);
    await transaction
      .updateTable('registrations')
      .set({ nextAt: AT_ONCE })
      .where(({ eb, or }) => or([eb('nextAt', 'is', null), eb('nextAt', '>', now)]))
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('registrationIndex')
          .select('registration')
          .where('edition', '=', edition.facts.id)
          .where(({ eb, or }) => or([eb('lookedAt', '<', lastMoment), eb('lookedAt', '>', now)])),
      )
      .execute();
  }
  const latest = new Date(now.getTime() + LONGEST_WAIT_MS);
  await transaction
    .updateTable('waitingEntries')
    .set({ nextAt: AT_ONCE })
    .where('nextAt', '>', latest)
    .execute();
}

/** Each charge takes three requests of about 0.3 s, and Stripe allows 100 a second, of which visitors need some. */
const CHARGES = { atOnce: 8, failed: 'A balance could not be charged' };
const REFUNDS = { atOnce: 1, failed: 'A refund could not be made' };

/** After this many failures without a success in between, Stripe is considered down: the rest is left for later. */
const FAILURES_IN_A_ROW = 8;

interface MoneyDependencies {
  payments: Pick<Payments, 'ask'>;
  metrics: Pick<Metrics, 'count'>;
  logger: Logger;
  now: () => Date;
  after: (id: string) => Promise<void>;
  signal: AbortSignal | undefined;
}

export async function chargeAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, metrics, logger, now } = dependencies;
  const charge = async (registration: string): Promise<void> => {
    const outcome = await payments.ask(chargeBalance, registration, now());
    if (outcome.type === 'charged') {
      metrics.count('balances_charged_total');
      logger.info({ registration, amountCents: outcome.cents }, 'Balance charged');
    } else if (outcome.type === 'declined') {
      const { code, try: number, next } = outcome.decline;
      metrics.count('balances_declined_total', { reason: reasonOfDecline(code) });
      logger.warn({ registration, code, try: number, next }, 'Balance declined');
    } else logger.info({ registration, why: outcome.why }, 'Balance not charged');
  };
  await moveAll(ids, CHARGES, charge, dependencies);
}

export async function refundAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, metrics, logger, now } = dependencies;
  const refund = async (registration: string): Promise<void> => {
    const outcome = await payments.ask(makeDueRefunds, registration, now());
    if (outcome.type === 'given-back') {
      if (outcome.cents > 0) metrics.count('refunds_total', { outcome: 'made' });
      logger.info({ registration, amountCents: outcome.cents }, 'Refund worked off');
    } else if (outcome.type === 'refused') {
      metrics.count('refunds_total', { outcome: 'refused' });
      logger.error({ registration, code: outcome.code }, 'Stripe refuses a refund: a person must look');
    } else logger.info({ registration, why: outcome.why }, 'Nothing given back');
  };
  await moveAll(ids, REFUNDS, refund, dependencies);
}

/** Does the same for some registrations, until Stripe throttles or is down: what is left stays due. */
async function moveAll(
  ids: readonly string[],
  { atOnce, failed }: typeof CHARGES,
  move: (id: string) => Promise<void>,
  { logger, after, signal }: MoneyDependencies,
): Promise<void> {
  let failures = 0;
  let later = 0;
  const moveOne = async (id: string): Promise<void> => {
    try {
      await move(id);
      failures = 0;
    } catch (error) {
      if (isThrottled(error)) {
        later += 1;
        return;
      }
      failures += 1;
      logger.error({ err: error, registration: id }, failed);
    }
    await after(id);
  };
  let at = 0;
  while (at < ids.length && failures < FAILURES_IN_A_ROW && later === 0 && !signal?.aborted) {
    await Promise.all(ids.slice(at, at + atOnce).map(moveOne));
    at += atOnce;
  }
  const left = Math.max(0, ids.length - at);
  if (later > 0) logger.info({ later: later + left }, 'Stripe throttles: this is left for later');
  else if (failures >= FAILURES_IN_A_ROW)
    logger.error({ left }, 'Stripe fails: charges and refunds are left for later');
}
