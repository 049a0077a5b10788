import {
  type Installment,
  installmentsOf,
  isRestByCheck,
  leftToPay,
  nextInstallment,
  owedByCheck,
  owes,
  paidBalances,
  surplusLeft,
} from '#server/registration/balance.ts';
import { isRefundOrdered, refundAt, undoUntil, workedOffFrom } from '#server/registration/cancelling.ts';
import { isNoticed } from '#server/registration/charges.ts';
import { depositByCardOf, depositLeftOf } from '#server/registration/deposit.ts';
import { pendingHandOver } from '#server/registration/hand-over.ts';
import { checksSent } from '#server/registration/ledger.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { type RegistrationState, stateOf } from '#server/registration/registration-state.ts';
import { monthOfExpiry, nameCard } from '#shared/content/card-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { declineWords, moment, partWords, sentence, whenCharged, whyNotByItself } from './words.ts';

/** The state of a registration and what comes next, in a few sentences. */
export function standingOf(record: RegistrationRecord, now: Date): readonly string[] {
  const owed = owedByCheck(record);
  const lostCents = record.disputed ? 0 : sumOfDisputes(record.ledger.entries);
  return [
    record.forgottenAt ? `Her personal data were removed on ${moment(record.forgottenAt, record)}.` : '',
    record.disputed ? disputedSentence(record) : '',
    ...stateSentences(record, now),
    ...handOverSentences(record, now),
    lostCents > 0 ? `Her bank took ${formatCents(lostCents)} back in a dispute.` : '',
    surplusLeft(record) > 0 ? 'She has paid more than was left to pay.' : '',
    owed > 0 ? `A check of ${formatCents(owed)} is to be sent to her.` : '',
  ].filter((sentence) => sentence !== '');
}

function disputedSentence(record: RegistrationRecord): string {
  const open = record.disputes.flatMap(({ isOver, evidenceDue }) => (isOver ? [] : (evidenceDue ?? [])));
  const [due] = open.toSorted((one, other) => one.getTime() - other.getTime());
  const until = due ? ` until ${moment(due, record)}` : '';
  return `Her bank has taken a payment into dispute: nothing is charged or given back automatically. Answer it in Stripe’s dashboard${until}; this page, printed, helps.`;
}

function handOverSentences(record: RegistrationRecord, now: Date): readonly string[] {
  const pending = pendingHandOver(record, now);
  if (!pending) return [];
  const { firstName, lastName, email, agreedAt, until } = pending;
  const waits = agreedAt
    ? 'She has agreed, and it waits for the other one to accept'
    : 'It waits for her to agree on her page';
  return [
    `Her place is to be handed over to ${firstName} ${lastName}, ${email}. ${waits}; it can be done until ${moment(until, record)}.`,
  ];
}

function stateSentences(record: RegistrationRecord, now: Date): readonly string[] {
  const state = stateOf(record, now);
  if (state === 'cancelling') return cancellingSentences(record, now);
  return [
    stateSentence(record, state),
    ...(record.paidTwice ? [twiceSentence(record.paidTwice)] : []),
    ...(owes(record) ? [balanceSentence(record, now)] : []),
  ];
}

function stateSentence(record: RegistrationRecord, state: Exclude<RegistrationState, 'cancelling'>): string {
  const { cents = 0 } = record.cancelled ?? {};
  switch (state) {
    case 'begun':
      return 'She has begun to register, and has not paid the deposit yet. She can pay it on the site.';
    case 'held':
      return heldSentence(record);
    case 'lapsed':
      return `She began to register on ${moment(record.begunAt, record)} and left the deposit unpaid. She has no place; she can still pay it.`;
    case 'closed':
      return 'Her registration was closed before she paid. She has no place, and nothing is charged.';
    case 'registered':
    case 'noticed':
      return 'She has a place: her deposit is paid.';
    case 'postponed':
      return 'She has a place: her deposit is paid, and the balance was postponed.';
    case 'due':
      return `She has a place. ${dueWords(nextInstallment(record))} is due and not paid.`;
    case 'retrying':
      return retryingSentence(nextInstallment(record));
    case 'action-needed':
      return 'She has a place. Her card was declined for the balance, and is not tried again: only she can go on.';
    case 'settled':
      return 'She has a place, and everything is paid.';
    case 'cancelled':
      return `She has cancelled. ${formatCents(cents)} is being given back to her card.`;
    case 'refund-pending':
      return cents > 0
        ? `She has cancelled. ${formatCents(cents)} is on its way back to her card.`
        : 'She has cancelled. What she gets back goes by check.';
    case 'refund-failed':
      return 'She has cancelled. Her bank did not take the refund.';
    case 'refunded':
      return 'She has cancelled, and got back what is hers.';
    case 'nothing-back':
      return 'She has cancelled. By the policies nothing goes back.';
  }
}

function retryingSentence({ decline }: Installment): string {
  return decline
    ? `She has a place. Her card was declined for the balance: ${declineWords(decline.code)}.`
    : 'She has a place. Her card is being charged for the balance, and her bank has not answered yet.';
}

function heldSentence(record: RegistrationRecord): string {
  const { held } = record.decisions;
  const until = held ? ` until ${moment(held.until, record)}` : '';
  const left = formatCents(held?.way === 'card' ? depositByCardOf(record) : depositLeftOf(record));
  return `A place is held for her${until}. ${left} of the deposit is to come by ${held?.way ?? 'check'}.`;
}

function twiceSentence({ other, isYounger }: NonNullable<RegistrationRecord['paidTwice']>): string {
  const held = isYounger
    ? ' Until then nothing is charged for this one.'
    : ' Until then nothing is charged for the other.';
  return `Paid twice? The place ${other} has the same name and address: give one of them back whole, or record that these are two people.${held}`;
}

function balanceSentence(record: RegistrationRecord, now: Date): string {
  const { beforeFeeCents } = leftToPay(record);
  if (isRestByCheck(record))
    return `She pays ${formatCents(beforeFeeCents)} by check or transfer, which has not come yet.`;
  const why = whyNotByItself(record, now);
  if (why === undefined) return chargedSentence(record, now);
  return `The site does not charge her card automatically: ${why}.`;
}

function chargedSentence(record: RegistrationRecord, now: Date): string {
  const next = nextInstallment(record);
  const what = formatCents(next.left.byCardCents);
  const card = record.card ? ` to her ${nameCard(record.card)}` : '';
  const told = isNoticed(record, next) ? '' : ', once she was told of it three days before';
  const of = next.part ? `, ${partWords(next.part)},` : '';
  return `The site charges ${what}${of}${card} automatically, ${whenCharged(record, now)}${told}.`;
}

function dueWords({ part }: Installment): string {
  return part ? sentence(partWords(part)) : 'Her balance';
}

function cancellingSentences(record: RegistrationRecord, now: Date): readonly string[] {
  const { cancel } = record.decisions;
  const [until, from] = [undoUntil(record), workedOffFrom(record)];
  if (!cancel || !until || !from) return ['She has cancelled.'];
  const { byCardCents, byCheckCents } = refundAt(record, cancel.writtenAt);
  const [card, check] = [formatCents(byCardCents), formatCents(byCheckCents)];
  const back =
    byCardCents > 0
      ? `${card} goes back to her card`
      : byCheckCents > 0
        ? `${check} goes back by check`
        : 'Nothing goes back';
  return [
    `She has cancelled${cancel.onPage ? ' on her page' : ''} as of ${moment(cancel.writtenAt, record)}.`,
    now < until
      ? `This can be taken back until ${moment(until, record)}.`
      : `It could be taken back until ${moment(until, record)}.`,
    now < from
      ? `${back}: it is carried out after ${moment(from, record)}.`
      : `${back}: it was to be carried out after ${moment(from, record)}, and is not yet.`,
  ];
}

/** One line of a registration's money: what it is, its state, and the amount (US cents; what goes back is negative). */
interface MoneyLine {
  what: string;
  how: string;
  cents: number;
}

/** What was paid, is due, was waived, went back and is owed by check, in chronological order. */
export function moneyLines(record: RegistrationRecord, now: Date): readonly MoneyLine[] {
  return [
    depositLine(record),
    ...balanceLines(record, now),
    ...givenBackLines(record),
    ...disputeLines(record),
    ...checkLines(record),
  ];
}

function depositLine(record: RegistrationRecord): MoneyLine {
  const { edition, paidAt, depositCents, depositDueCents, depositCard, decisions } = record;
  const { held } = decisions;
  if (!paidAt && held)
    return {
      what: 'Deposit',
      how: `to come by ${held.way} until ${moment(held.until, record)}`,
      cents: held.way === 'card' ? depositByCardOf(record) : depositLeftOf(record),
    };
  if (!paidAt) return { what: 'Deposit', how: 'not paid', cents: edition.facts.prices.depositCents };
  if (depositDueCents !== undefined) {
    const how = depositCents > 0 ? 'of what came by check or transfer' : 'not asked of her';
    return { what: 'Deposit', how: `paid on ${moment(paidAt, record)}, ${how}`, cents: depositCents };
  }
  const card = depositCard ? ` with her ${nameCard(depositCard)}` : '';
  return { what: 'Deposit', how: `paid on ${moment(paidAt, record)}${card}`, cents: depositCents };
}

function balanceLines(record: RegistrationRecord, now: Date): readonly MoneyLine[] {
  const { decisions, received } = record;
  const { waived } = decisions;
  const check = isRestByCheck(record);
  const lines: MoneyLine[] = [];
  if (waived)
    lines.push({
      what: waived.as === 'scholarship' ? 'Scholarship' : 'Waived',
      how: [`by ${waived.by} on ${moment(waived.at, record)}`, waived.reason].filter(Boolean).join(': '),
      cents: waived.cents,
    });
  const parts = installmentsOf(record);
  for (const { number, paidAt, paidWith, cents } of paidBalances(record)) {
    const card = paidWith ? ` with her ${nameCard(paidWith)}` : ' by card';
    const what = whatIs(parts.find((one) => one.number === number)?.part);
    lines.push({ what, how: `paid on ${moment(paidAt, record)}${card}`, cents });
  }
  for (const { way, number, on, cents } of received.counting)
    lines.push({
      what: 'Balance',
      how: `by ${way}${number === undefined ? '' : ` ${number}`}, which came on ${moment(on, record)}`,
      cents,
    });
  if (!owes(record)) return lines;
  for (const { left, part, dueAt } of parts) {
    const { byCardCents, beforeFeeCents } = left;
    if (beforeFeeCents === 0) continue;
    const how = `to be paid by ${check ? 'check' : 'card'}, ${dueAt > now ? 'due on' : 'due since'} ${moment(dueAt, record)}`;
    lines.push({ what: whatIs(part), how, cents: check ? beforeFeeCents : byCardCents });
  }
  return lines;
}

function whatIs(part: Installment['part']): string {
  return part ? `${titleOfPart(part)} of the balance` : 'Balance';
}

const REFUND_WORDS = {
  pending: 'on its way since',
  succeeded: 'went back on',
  failed: 'was not taken by her bank on',
} as const;

function givenBackLines(record: RegistrationRecord): readonly MoneyLine[] {
  const { refund } = record.decisions;
  const lines = record.refunds.map(({ of, cents, status, at }) => ({
    what: `Refund of the ${of}`,
    how: `${status === 'failed' ? `${formatCents(cents)} ` : ''}${REFUND_WORDS[status]} ${moment(at, record)}`,
    cents: status === 'failed' ? 0 : -cents,
  }));
  if (!refund || !isRefundOrdered(record)) return lines;
  const how = `decided by ${refund.by} on ${moment(refund.at, record)}, not carried out yet: ${refund.reason}`;
  return [...lines, { what: 'Exception', how, cents: -refund.cents }];
}

/** What her bank has taken back, and what it gave back of that. */
function disputeLines(record: RegistrationRecord): readonly MoneyLine[] {
  return ['deposit', 'balance'].flatMap((of) => {
    const moved = record.ledger.entries.filter(
      ({ kind, number }) => kind === 'dispute' && (number === 0) === (of === 'deposit'),
    );
    const [cents, last] = [sumOfDisputes(moved), moved.at(-1)];
    if (cents === 0 || !last) return [];
    const how = `taken back by her bank on ${moment(last.movedAt, record)}`;
    return [{ what: `Dispute of the ${of}`, how, cents: -cents }];
  });
}

/** What banks have taken back, less what they gave back, in US cents with card fees. */
function sumOfDisputes(entries: RegistrationRecord['ledger']['entries']): number {
  const moved = entries.filter(({ kind }) => kind === 'dispute');
  return moved.reduce((sum, { cents, feeCents }) => sum - cents - feeCents, 0);
}

function checkLines(record: RegistrationRecord): readonly MoneyLine[] {
  const owed = owedByCheck(record);
  const what = 'Check to her';
  const lines: MoneyLine[] = checksSent(record.ledger).map(({ cents, feeCents, movedAt }) => ({
    what,
    how: `sent on ${moment(movedAt, record)}`,
    cents: cents + feeCents,
  }));
  if (owed > 0) lines.push({ what, how: 'owed, and not sent yet', cents: -owed });
  return lines;
}

/** Who she is, her card and what she agreed to: names with their words, which are empty where there is nothing. */
export function detailsOf(record: RegistrationRecord): readonly (readonly [name: string, words: string])[] {
  const { registrant, edition, card, corrections, addressAsked, handedOver } = record;
  const { facts } = edition;
  const before = (was: { was: string; at: Date; by: string } | undefined) =>
    was ? `${was.was}, until ${moment(was.at, record)}; corrected by ${was.by}` : '';
  return [
    ['New e-mail', addressAsked ? `${addressAsked.to}, not confirmed yet` : ''],
    [
      'Had the place before',
      handedOver?.email
        ? `${handedOver.firstName} ${handedOver.lastName}, ${handedOver.email}, ${handedOver.phoneNumber}; until ${moment(handedOver.at, record)}`
        : '',
    ],
    ['Earlier e-mail', before(corrections.email)],
    ['Earlier phone', before(corrections.phoneNumber)],
    ['Earlier name', before(corrections.name)],
    ['Time zone', registrant.timeZone],
    ['Card on file', card ? nameCard(card) : ''],
    ['Card valid until', card ? (monthOfExpiry(card) ?? '') : ''],
    ['Retreat', `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`],
  ];
}
