import type { AgreedTerms } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { type DecisionKind, HERSELF } from './act-kinds.ts';
import { lastAct, termsOfText } from './acts.ts';
import { isRestByCheck, leftToPay, owes, paidBalances } from './balance.ts';
import { canUndoCancel } from './cancelling.ts';
import { chargeObstacle, onceAgreed } from './charges.ts';
import type { Decision } from './decisions.ts';
import { chargeOf } from './ledger.ts';
import type { RefundOnRecord, RegistrationRecord } from './registration-record.ts';
import { hasPlace, owingStates, type RegistrationState, stateOf } from './registration-state.ts';
import { folded } from './search-text.ts';

export const PLACED: readonly RegistrationState[] = [...owingStates, 'settled'];

export function canReceive(record: RegistrationRecord, now: Date): boolean {
  if (record.deposit === 'unpaid') return record.decisions.held !== undefined;
  return PLACED.includes(stateOf(record, now));
}

export const undoableKinds = [
  'cancel',
  'waived',
  'check',
  'postponed',
  'plan',
  'refund',
  'checkSent',
  'handOver',
] as const satisfies readonly DecisionKind[];
export type UndoableKind = (typeof undoableKinds)[number];

/** Whether a decision can be taken back; what her card paid, and what was refunded, stays. */
export function canUndo(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  const { decisions } = record;
  if (!decisions[kind] || !undoableKinds.some((one) => one === kind)) return false;
  if (kind === 'cancel') return canUndoCancel(record, now);
  if (kind === 'checkSent') return true;
  if (kind === 'handOver') return pendingHandOver(record, now) !== undefined;
  if (kind === 'refund') return canUndoRefund(record);
  const state = stateOf(record, now);
  if (owes(record) || state === 'held') return true;
  const paidAt = paidBalances(record).at(-1)?.paidAt;
  // What her card paid was what was left after a waiver that was decided before.
  const isSince = kind === 'waived' && decisions.waived && paidAt && decisions.waived.at > paidAt;
  return state === 'settled' && (paidAt === undefined || isSince === true);
}

function canUndoRefund({ acts, ledger }: RegistrationRecord): boolean {
  const order = lastAct(acts, 'refund')?.id;
  const own = ledger.payouts.filter((one) => one.orderedBy === order && one.state !== 'withdrawn');
  return own.length > 0 && own.every(({ state }) => state === 'ordered');
}

/** Why a place cannot be handed over now, no matter who asks for it. */
type HandOverStop = 'not-offered' | 'too-late' | 'no-place' | 'disputed' | 'being-charged';

export function handOverStop(record: RegistrationRecord, now: Date): HandOverStop | undefined {
  const { handOverUntil } = record.edition.facts;
  if (handOverUntil === undefined) return 'not-offered';
  if (now >= new Date(handOverUntil)) return 'too-late';
  if (!hasPlace(record) || record.forgottenAt) return 'no-place';
  if (record.disputed) return 'disputed';
  return record.context.trying.length > 0 ? 'being-charged' : undefined;
}

export interface PendingHandOver extends Decision<'handOver'> {
  agreedAt?: Date | undefined;
  until: Date;
}

export function pendingHandOver(record: RegistrationRecord, now: Date): PendingHandOver | undefined {
  const { decisions, handedOver, edition } = record;
  const { handOver, handOverAgreed: agreed } = decisions;
  const { handOverUntil } = edition.facts;
  if (!handOver || handOverUntil === undefined || (handedOver && handedOver.at >= handOver.at))
    return undefined;
  const stop = handOverStop(record, now);
  if (stop && stop !== 'being-charged') return undefined;
  const isAgreed = agreed?.of.getTime() === handOver.at.getTime();
  return { ...handOver, agreedAt: isAgreed ? agreed.at : undefined, until: new Date(handOverUntil) };
}

export function isOfHolderBefore(
  { ledger, handedOver }: RegistrationRecord,
  { payment }: Pick<RefundOnRecord, 'payment'>,
): boolean {
  const paid = chargeOf(ledger, payment);
  return handedOver !== undefined && paid !== undefined && paid.movedAt < handedOver.at;
}

export function isHandedOverBy({ handedOver }: RegistrationRecord, decidedAt: Date): boolean {
  return handedOver?.of.getTime() === decidedAt.getTime();
}

/** What is left to pay for the next holder, in US cents, and whether her card will be charged. */
export function balanceOnceHandedOver(
  record: RegistrationRecord,
  now: Date,
): { cents: number; isCharged: boolean } {
  if (!owes(record)) return { cents: 0, isCharged: false };
  const { bounced: _, ...rest } = onceAgreed(record, { at: now, by: HERSELF });
  const { version, digest } = record.agreement ?? record.edition.terms;
  const card = { id: '', brand: '', last4: '', expMonth: 12, expYear: now.getUTCFullYear() + 1, since: now };
  const after: RegistrationRecord = {
    ...rest,
    notices: [],
    card,
    agreement: { version, digest, agreedAt: now },
  };
  const { byCardCents, beforeFeeCents } = leftToPay(record);
  const cents = isRestByCheck(record) ? beforeFeeCents : byCardCents;
  return { cents, isCharged: chargeObstacle(after, now) === undefined };
}

/** The terms under which the place was sold; those of the edition where no consent is on record. */
export function termsOnceHandedOver({ agreement, edition }: RegistrationRecord): AgreedTerms | undefined {
  return termsOfText(edition, agreement ?? edition.terms);
}

export const HANDED_OVER =
  'Her name and her address would both differ from those she paid with, so this would be another person’s place. A place cannot be handed over by a correction: hand it over to that person instead, so that both agree';

/** Whether neither first name, last name nor address would be as they were when she paid. */
export function isHandedOver(
  { paidAs, registrant }: Pick<RegistrationRecord, 'paidAs' | 'registrant'>,
  corrected: Partial<Contact>,
): boolean {
  if (!paidAs) return false;
  const { firstName, lastName, email } = { ...registrant, ...corrected };
  const was = ` ${folded(paidAs.name)} `;
  // First and last name are on record as one text; they may also have changed places.
  const isNameKept = [firstName, lastName].some((name) => {
    const part = ` ${folded(name)} `;
    return was.startsWith(part) || was.endsWith(part);
  });
  return !isNameKept && email.toLowerCase() !== paidAs.email.toLowerCase();
}
