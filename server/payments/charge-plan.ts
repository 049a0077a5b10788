import { createHash } from 'node:crypto';
import { timingOfBalance } from '#shared/content/moments.ts';
import { balanceOfRecord, type RegistrationRecord } from './registration-record.ts';
import { chargeMomentOf, stateOf } from './registration-state.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Between the notice and the charge she has so much time to cancel, or to pay otherwise. */
export const NOTICE_MS = 3 * DAY_MS;

/** While she may be paying on her page, nothing is charged beside it. */
export const PAYING_MS = 30 * MINUTE_MS;

/** Why her card is not going to be charged without her: she is asked to pay, or the office is told. */
export type ChargeObstacle =
  /** The retreat is over. */
  | 'over'
  | 'disputed'
  /** She pays by check. */
  | 'check'
  /** No terms that she agreed to are on record, or they do not speak of a charge at that moment. */
  | 'no-consent'
  /** It would be due after the retreat. */
  | 'too-late'
  /** No letter reached her in time that told the moment and the sum. */
  | 'no-notice';

/** What keeps the site from charging what a registrant owes, at the moment at which it is due; undefined if nothing does. */
export function chargeObstacle(record: RegistrationRecord, now: Date): ChargeObstacle | undefined {
  const endsAt = new Date(record.edition.facts.endsAt);
  const dueAt = chargeMomentOf(record);
  if (now >= endsAt) return 'over';
  if (record.disputed) return 'disputed';
  if (record.decisions.check) return 'check';
  if (!isChargeAgreed(record)) return 'no-consent';
  if (dueAt >= endsAt) return 'too-late';
  const canBeTold = now.getTime() < dueAt.getTime() - NOTICE_MS;
  return canBeTold || isNoticed(record) ? undefined : 'no-notice';
}

/** Whether the terms that she agreed to speak of this charge: those of who paid late, only the present ones. */
function isChargeAgreed({ agreement, edition, paidAt, begunAt }: RegistrationRecord): boolean {
  if (!agreement) return false;
  const timing = timingOfBalance(edition.facts, paidAt ?? begunAt);
  return timing === 'on-due-day' || agreement.version === edition.terms.version;
}

/** Whether a letter told her, at her present address and early enough, of the charge as it is due now. */
export function isNoticed(record: RegistrationRecord): boolean {
  const { noticed, registrant } = record;
  const dueAt = chargeMomentOf(record);
  if (!noticed || noticed.to !== addressDigest(registrant.email)) return false;
  return (
    noticed.dueAt.getTime() === dueAt.getTime() &&
    noticed.cents >= balanceOfRecord(record).byCardCents &&
    noticed.at.getTime() <= dueAt.getTime() - NOTICE_MS
  );
}

/** A short digest of an e-mail address, to compare it without storing it. */
export function addressDigest(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 8);
}

/** Whether the balance is to be charged now, without her. */
export function isChargeDue(record: RegistrationRecord, now: Date): boolean {
  const { balance } = record;
  const state = stateOf(record, now);
  if (state !== 'due' && state !== 'retrying' && state !== 'action-needed') return false;
  if (now < chargeMomentOf(record) || chargeObstacle(record, now)) return false;
  if (balance?.payingSince && now.getTime() - balance.payingSince.getTime() < PAYING_MS) return false;
  return isTryDue(record, now);
}

/** For the first time, again after a decline, with a card that she gave since, or because a try did not come to its end. */
function isTryDue({ balance, card }: RegistrationRecord, now: Date): boolean {
  const decline = balance?.decline;
  if (!decline || decline.try < balance.tries) return true;
  if (card && card.since > decline.at) return true;
  return decline.next !== undefined && now >= decline.next;
}

/** How long before the charge the notice goes out, and the reminder. */
export function tellingTimes({ edition }: RegistrationRecord): { noticeMs: number; reminderMs: number } {
  const { noticeAt, reminderAt, chargeAt } = edition.facts.balance;
  const before = (at: string) => Date.parse(chargeAt) - Date.parse(at);
  return { noticeMs: before(noticeAt), reminderMs: before(reminderAt) };
}
