import type { Database } from '#server/database/database.ts';
import { asksToPay } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import { linksEndAt } from '#server/registration/links.ts';
import type { Logger } from '#server/service/logger.ts';
import { fitPayments } from '#server/stripe/balance.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import { fitCustomer } from '#server/stripe/hand-over.ts';
import type { Records } from '#server/stripe/record-payments.ts';
import { isThrottled } from '#server/stripe/stripe-calls.ts';
import { type Circumstances, type Deed, type Due, dueOf } from './due.ts';
import { indexRow, writeIndex } from './registration-index.ts';
import { readTogether } from './registration-list.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Looking {
  database: Database;
  letterLog: LetterLog;
  payments: Pick<Payments, 'ask'>;
  logger: Logger;
  queue: LetterQueue;
  /** Catches up with Stripe, unless this run of the worker has done so since a moment, or could not. */
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
): Promise<Record<'charge' | 'refund', string[]>> {
  const { database, letterLog, queue, logger, catchUpTo, signal } = looking;
  const { now } = circumstances;
  const moneyDue: Record<'charge' | 'refund', string[]> = { charge: [], refund: [] };
  for await (const readings of readTogether({ database }, ids)) {
    signal?.throwIfAborted();
    const looked = [...readings].map(([id, reading]) => {
      const due = dueOf(reading, circumstances);
      const nextAt = nextLook(due, now);
      return { id, due, nextAt, row: indexRow(reading, due, now) };
    });
    const letters = looked.flatMap(({ due }) => due.letters);
    // What asks for money waits for catch-up where it is sent.
    if (letters.some(asksToPay)) await catchUpTo(now);
    await oweLetters(letters, { queue, letterLog, now });
    for (const { id, due } of looked) {
      const { attention: reason } = due;
      if (reason !== undefined)
        logger.error({ registration: id, reason }, 'A payment of this site needs a person to look at it');
      for (const deed of due.deeds) {
        if (deed === 'charge' || deed === 'refund') moneyDue[deed].push(id);
        else await tryDeed(deed, id, now, looking);
      }
    }
    await database.write(async (transaction) => {
      await writeIndex(
        transaction,
        looked.map(({ row }) => row),
      );
      for (const { id, due, nextAt, row } of looked) {
        const isMoneyDue = due.deeds.includes('charge') || due.deeds.includes('refund');
        if (isMoneyDue && !isMoneyTried) continue;
        await transaction
          .updateTable('registrations')
          .set({ nextAt })
          .where('id', '=', id)
          .where('version', '=', row.version)
          .execute();
      }
    });
  }
  return moneyDue;
}

const works: Record<
  Exclude<Deed, 'charge' | 'refund'>,
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

/**
 * At the latest after a day until her page closes: a fault must not keep a letter or a charge back for good. As all of an
 * edition are looked at when a moment of it passes, that is spread over the hours before.
 */
export function nextLook(
  { next, attention, registration }: Pick<Due, 'next' | 'attention' | 'registration'>,
  now: Date,
): Date | null {
  const isOver = !registration || now >= linksEndAt(registration.edition.facts);
  const withinADay = new Date(now.getTime() + DAY_MS * (1 - Math.random() / 2));
  if (isOver && attention === undefined) return next ?? null;
  return next && next < withinADay ? next : withinADay;
}
