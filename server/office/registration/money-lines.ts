import { moment } from '#server/acts/words.ts';
import { isRefundOrdered } from '#server/record/cancel-plan.ts';
import {
  balanceOfRecord,
  depositByCardOf,
  depositByCheckOf,
  isRestByCheck,
  paidBalances,
  partNumber,
  partsOf,
} from '#server/record/owed.ts';
import type { Part, RegistrationRecord } from '#server/record/registration-record.ts';
import { chargeMomentOf, owedByCheck, owingStates, stateOf } from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';

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
      cents: held.way === 'card' ? depositByCardOf(record) : depositByCheckOf(record),
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
  const parts = partsOf(record);
  for (const { part = 0, paidAt, paidWith, cents } of paidBalances(record)) {
    const card = paidWith ? ` with her ${nameCard(paidWith)}` : ' by card';
    const what = whatIs(parts.find((one) => partNumber(one) === part)?.part);
    lines.push({ what, how: `paid on ${moment(paidAt, record)}${card}`, cents });
  }
  for (const { way, number, on, cents } of received.counting)
    lines.push({
      what: 'Balance',
      how: `by ${way}${number === undefined ? '' : ` ${number}`}, which came on ${moment(on, record)}`,
      cents,
    });
  if (!owingStates.includes(stateOf(record, now))) return lines;
  for (const one of parts) {
    const { byCardCents, byCheckCents } = balanceOfRecord(one);
    if (one.balance?.status === 'paid' || byCheckCents === 0) continue;
    const dueAt = chargeMomentOf(one);
    const how = `to be paid by ${check ? 'check' : 'card'}, ${dueAt > now ? 'due on' : 'due since'} ${moment(dueAt, record)}`;
    lines.push({ what: whatIs(one.part), how, cents: check ? byCheckCents : byCardCents });
  }
  return lines;
}

function whatIs(part: Part | undefined): string {
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

/** What her bank took back, once the office has recorded that the dispute is over. */
function disputeLines(record: RegistrationRecord): readonly MoneyLine[] {
  const { lost, at } = record.decisions.disputeOver ?? {};
  if (!lost || !at) return [];
  const how = `lost: her bank took it back; recorded on ${moment(at, record)}`;
  return (['deposit', 'balance'] as const)
    .filter((payment) => lost[payment] > 0)
    .map((payment) => ({ what: `Dispute of the ${payment}`, how, cents: -lost[payment] }));
}

function checkLines(record: RegistrationRecord): readonly MoneyLine[] {
  const { checkSent } = record.decisions;
  const owed = owedByCheck(record);
  const what = 'Check to her';
  const lines: MoneyLine[] = [];
  if (checkSent?.sentBefore)
    lines.push({ what: 'Checks to her', how: 'sent before', cents: -checkSent.sentBefore });
  if (checkSent)
    lines.push({ what, how: `sent on ${moment(checkSent.sentAt, record)}`, cents: -checkSent.cents });
  if (owed > 0) lines.push({ what, how: 'owed, and not sent yet', cents: -owed });
  return lines;
}
