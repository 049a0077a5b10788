import type { PaymentRow } from '#server/database/schema.ts';
import { isTold } from '#server/mail/digests.ts';
import {
  type DepositMailKind,
  type DepositState,
  isDepositMail,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  mailRules,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { EndedLetter } from '#server/mail/letter-log.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { isUndeliverable, parseBounced } from './bounce-mark.ts';
import { readDecisions } from './decisions.ts';
import { agreedBalanceOf, agreementOf, depositOf, type OnRecord } from './on-record.ts';
import { registrantIn } from './registrations.ts';
import { secondOf } from './second-payment.ts';

/** A letter about the deposit. */
type DepositMail = MailOf<DepositMailKind>;
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The mails that are due about a deposit: true at this moment, and neither sent nor dismissed. */
export function lettersOwed(onRecord: OnRecord): DepositMail[] {
  return lettersDue(DEPOSIT_KINDS, onRecord).filter(({ kind }) => owes(kind, onRecord.endedLetters));
}

/** The status of each letter of a registration; a letter that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed'>>;

/** The status of the letters of a registration; of the later ones that are not sent, none. */
export function lettersOf(onRecord: OnRecord): Letters {
  const { endedLetters: ended } = onRecord;
  const owed = lettersOwed(onRecord).map(({ kind }) => [kind, 'owed']);
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...ended.map(({ kind, state }) => [kind, state]), ...owed]);
}

/** The mails due after a deposit was paid; undefined when its registrant cannot be read. */
export function lettersOfPayment(onRecord: OnRecord): DepositMail[] | undefined {
  const kinds = DEPOSIT_KINDS.filter((kind) => mailRules[kind].owed === 'once paid');
  return depositLetterNow('welcome', onRecord) && lettersDue(kinds, onRecord);
}

function lettersDue(kinds: readonly DepositMailKind[], onRecord: OnRecord): DepositMail[] {
  return kinds.flatMap((kind) => {
    const letter = depositLetterNow(kind, onRecord);
    const isDue = letter && !isEnded(letter, onRecord.endedLetters) && !isPointless(letter, onRecord);
    return isDue ? [letter] : [];
  });
}

function owes(kind: DepositMailKind, ended: readonly EndedLetter[]): boolean {
  return mailRules[kind].owed !== 'after a change' || toldLast(ended) !== undefined;
}

/**
 * Whether a letter is not worth sending: a welcome after she cancelled or for a second payment, or any letter to an
 * address that bounces.
 */
function isPointless(letter: DepositMail, onRecord: OnRecord): boolean {
  const { acts, bounces } = onRecord;
  if (isUndeliverable(letter, bounces.map(parseBounced))) return true;
  if (letter.kind !== 'welcome') return false;
  return readDecisions(acts).cancel !== undefined || secondOf(onRecord) !== undefined;
}

/**
 * Whether a mail was sent or dismissed. The office is notified of a registration and its payment once each.
 */
export function isEnded(letter: DepositMail, ended: readonly EndedLetter[]): boolean {
  if (letter.kind === 'office-change' && isTold(toldLast(ended), letter)) return true;
  return endOf(letter, ended) !== undefined;
}

/** How a letter with the same facts ended, if it did. */
export function endOf(letter: RegistrationMail, ended: readonly EndedLetter[]): EndedLetter | undefined {
  const version = mailVersion(letter);
  return ended.find((one) => one.kind === letter.kind && one.version === version);
}

/** What the office was told last, see `toldBy`. */
function toldLast(ended: readonly EndedLetter[]): string | undefined {
  return ended.findLast(({ told, state }) => told !== undefined && state === 'sent')?.told;
}

/**
 * The mail of a kind with a deposit's current facts, sent or not; undefined when its condition does not hold.
 */
export function depositLetterNow(kind: DepositMailKind, onRecord: OnRecord): DepositMail | undefined {
  const deposit = depositOf(onRecord);
  const state = deposit && stateOf(deposit);
  const appliesWhile: readonly DepositState[] = mailRules[kind].appliesWhile;
  if (!state || !appliesWhile.includes(state)) return undefined;
  const { id: paymentIntentId, cents: amountCents, paidAt } = deposit;
  const { registration: row } = onRecord;
  const edition = findEdition(deposit.edition)?.facts.id;
  if (edition === undefined || !row || row.forgottenAt !== null) return undefined;
  const { linksEpoch } = row;
  const agreed = agreedBalanceOf(onRecord);
  const hers = {
    ...{ paymentIntentId, edition, ...registrantIn(row) },
    ...(linksEpoch > 0 && { linksEpoch }),
    ...(agreed && { agreed }),
  };
  const isHeld = secondOf(onRecord) !== undefined && readDecisions(onRecord.acts).cancel === undefined;
  const toldBefore = toldLast(onRecord.endedLetters);
  const told = toldBefore === undefined ? {} : { told: toldBefore };
  switch (kind) {
    case 'registration-received':
      return { kind, ...hers, ...(row.addressHasPlace === 1 && { addressHasPlace: true }) };
    case 'office-notice':
      return { kind, ...hers, ...told };
    case 'office-change':
      return { kind, ...hers, ...told, paid: state === 'paid' };
    case 'welcome': {
      const termsVersion = agreementOf(onRecord)?.version;
      const consent = termsVersion === undefined ? {} : { termsVersion };
      return { kind, ...hers, amountCents, ...consent, paidAt: paidAt ?? deposit.madeAt };
    }
    case 'second-payment':
      return isHeld ? { kind, ...hers, amountCents, paidAt: paidAt ?? deposit.madeAt } : undefined;
    case 'office-paid':
      return { kind, ...hers, ...told, amountCents, ...(isHeld && { isSecond: true as const }) };
  }
}

function stateOf({ status, asMade }: PaymentRow): DepositState | undefined {
  if (asMade === 0) return undefined;
  if (status === 'paid') return 'paid';
  return status === 'open' ? 'unpaid' : undefined;
}
