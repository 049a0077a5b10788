import {
  type ChargeObstacle,
  chargeObstacle,
  chargeStop,
  isNoticed,
  nextChargeAt,
} from '#server/record/charge-plan.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { isCardSpent, lastDecline, owingStates, stateOf } from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatCents } from '#shared/money.ts';
import { declineWords, moment } from './plain-words.ts';

/** Why the site does not charge a balance automatically, in words for the office. */
export const obstacleWords: Readonly<Record<ChargeObstacle, string>> = {
  over: 'the retreat is over',
  disputed: 'she disputes a charge',
  'deposit-refunded': 'her deposit was given back',
  check: 'she pays by check',
  unreachable: 'her letters come back; correct her address, or record that it works again',
  'no-consent': 'it is not on record that she agreed to this charge',
  'too-late': 'it is due after the retreat',
  'no-card': 'there is no card on file; she can give one on her page',
  'plan-paused': 'her payment plan is paused',
  'plan-not-agreed': 'she has not agreed to her payment plan; she can do so on her page',
  'no-notice': 'she was not told of it three days before',
};

/** Whether the site charges the balance automatically: how much, when and to which card; or else why not. */
export function chargeWords(record: RegistrationRecord, now: Date): string {
  if (!owingStates.includes(stateOf(record, now))) return 'nothing is charged';
  const why = whyNotByItself(record, now);
  if (why !== undefined) return `no: ${why}`;
  const words = `${formatCents(balanceOfRecord(record).byCardCents)} ${whenCharged(record, now)}`;
  const card = record.card ? `, to her ${nameCard(record.card)}` : '';
  return `${words}${card}${isNoticed(record) ? '' : ', once she was told of it three days before'}`;
}

/** The same as a sentence. */
export function chargeSentence(record: RegistrationRecord, now: Date): string {
  return `Charged automatically: ${chargeWords(record, now)}.`;
}

/** When the site charges it, if nothing prevents that. */
export function whenCharged(record: RegistrationRecord, now: Date): string {
  const at = nextChargeAt(record);
  if (at <= now) return 'as soon as the site gets to it';
  const words = `on ${moment(at, record)}`;
  return chargeStop(record, now) === 'paying' ? `${words}, unless she ends paying on her page before` : words;
}

/** Why the site does not charge what she owes automatically; undefined if it does. */
export function whyNotByItself(record: RegistrationRecord, now: Date): string | undefined {
  const obstacle = chargeObstacle(record, now);
  if (obstacle) return obstacleWords[obstacle];
  if (!isCardSpent(record)) return undefined;
  return `her card was refused (${declineWords(lastDecline(record)?.code)}); she can pay, or give another card, on her page`;
}
