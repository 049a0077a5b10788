import type { LaterMailKind, MailOf } from '#server/mail/job.ts';
import { expiryOf } from './card-on-file.ts';
import { balanceOfRecord, balanceTermsOf, type RegistrationRecord } from './registration-record.ts';
import { chargeMomentOf } from './registration-state.ts';

/** The part of the office's announcements that decides who gets which letter. */
export interface AnnouncedToAll {
  scheduleTold?: { revision: number; at: Date };
  recordings?: { at: Date };
}

/**
 * Decides whether a letter of a kind is true at a moment, and returns it with its facts. Only letters about
 * an announcement of the office use `announced`.
 */
export type LetterAt<Kind extends LaterMailKind> = (
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
) => MailOf<Kind> | undefined;

/** What every letter about a registration holds. */
export function factsOf({ id, edition, registrant, linksEpoch, agreed }: RegistrationRecord) {
  return {
    paymentIntentId: id,
    edition: edition.facts.id,
    ...registrant,
    ...(linksEpoch > 0 && { linksEpoch }),
    ...(agreed && { agreed }),
  };
}

/** What is left to pay. */
export function sumsOf(record: RegistrationRecord) {
  const { byCardCents, beforeFeeCents } = balanceOfRecord(record);
  return { cents: byCardCents, beforeFeeCents };
}

/** When her card is charged. */
export function dueAtOf(record: RegistrationRecord) {
  return { dueAt: chargeMomentOf(record).toISOString() };
}

/** Whether a paid balance is still refunded when she cancels. */
export function refundsOf(record: RegistrationRecord, now: Date) {
  return { isRefundable: now < new Date(balanceTermsOf(record).balance.refundsEndAt) };
}

/** The coming charge, and when she was last notified of it. */
export function chargeOf(record: RegistrationRecord, now: Date) {
  const { card, noticed } = record;
  return {
    ...sumsOf(record),
    ...refundsOf(record, now),
    ...dueAtOf(record),
    ...(card && { card: { brand: card.brand, last4: card.last4 } }),
    ...(card && expiryOf(card) < chargeMomentOf(record) && { expires: true as const }),
    ...(noticed && { noticedAt: noticed.at.toISOString() }),
  };
}

/** How the balance was paid; undefined while it is unpaid, and where all of it was waived. */
export function paidBalanceOf({
  balance,
  decisions,
}: RegistrationRecord): MailOf<'balance-paid'>['balance'] | undefined {
  if (balance?.paidAt) {
    const { id: reference, cents, beforeFeeCents, paidAt, paidWith: card } = balance;
    const paid = { by: 'card', cents, beforeFeeCents, paidAt: paidAt.toISOString(), reference } as const;
    return { ...paid, ...(card && { card }) };
  }
  const { check } = decisions;
  if (!check?.receivedAt) return undefined;
  const { cents, receivedAt } = check;
  return { by: 'check', cents, beforeFeeCents: cents, paidAt: receivedAt.toISOString() };
}
