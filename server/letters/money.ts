import {
  chargeObstacle,
  type Installment,
  isRestByCheck,
  leftToPay,
  nextInstallment,
  owes,
  type RegistrationRecord,
  statement,
  surplusLeft,
} from '#server/registration/registration.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import {
  type Balance,
  isPayment,
  isRepayment,
  nameOfPart,
  type PartOfPlan,
  type PaymentLine,
  REDUCTIONS,
  type StatementLine,
  titleOfPart,
} from '#shared/content/tuition.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { type Block, type FactRow, factTable } from './render/letter.ts';
import { beginning, inDollars, type Writing } from './render/parts.ts';

type OfPart = { part?: PartOfPlan | undefined };

export function owedWords({ part }: OfPart, balance = 'your balance'): string {
  return part ? `${nameOfPart(part)} of your payment plan` : balance;
}

export const owedTitle = (one: OfPart): string => beginning(owedWords(one));

export function sumFacts(
  { byCardCents, beforeFeeCents, feeCents }: Balance,
  { edition }: Writing,
): FactRow[] {
  const fee = `the ${edition.facts.prices.cardFee} card fee of ${formatCents(feeCents)}`;
  return [
    { label: 'Amount', value: inDollars(byCardCents), strong: true },
    {
      label: 'Made up of',
      value: feeCents > 0 && `${formatCents(beforeFeeCents)} of the tuition, and ${fee}`,
    },
  ];
}

export function leftInWords(record: RegistrationRecord, { edition }: Writing): string {
  if (!owes(record)) return 'Nothing';
  const { byCardCents, beforeFeeCents } = leftToPay(record);
  if (isRestByCheck(record)) return `${formatCents(beforeFeeCents)} by check`;
  const { prices } = edition.facts;
  const fee = onWays(prices, `, the ${prices.cardFee} fee included`);
  return `${formatCents(byCardCents)} by card${fee}, or ${formatCents(beforeFeeCents)} by check`;
}

const isDue = (line: StatementLine): boolean => 'status' in line && line.status === 'due';

export function receiptRows(record: RegistrationRecord, now: Date, w: Writing): FactRow[] {
  const { statementSuffix: suffix } = w.edition.facts;
  const lines = statement(record).filter((line) => !isDue(line));
  const isByCard = lines.some((line) => isPayment(line) && line.way === 'card' && !line.isEarlier);
  return [
    ...lines.flatMap((line) => moneyRow(line, record, now, w) ?? []),
    { label: 'On your statement', value: isByCard && suffix && `ends with “${suffix}”` },
  ];
}

/** What was asked, what came and what is left, as on her page. */
export function moneyTable(record: RegistrationRecord, now: Date, w: Writing): Block {
  const lines = statement(record);
  const isPaid = record.deposit === 'paid' && !owes(record);
  const surplusCents = surplusLeft(record);
  return factTable([
    ...receiptRows(record, now, w),
    ...lines.filter(isDue).flatMap((line) => moneyRow(line, record, now, w) ?? []),
    { label: 'Paid in all', value: isPaid && inDollars(paidInAll(lines)), strong: true },
    { label: 'Left to pay', value: owes(record) && leftInWords(record, w), strong: true },
    {
      label: 'Too much',
      value:
        surplusCents > 0 &&
        `${formatCents(surplusCents)}, which is yours: the retreat office will send it back to you`,
    },
  ]);
}

function paidInAll(lines: readonly StatementLine[]): number {
  return lines
    .filter((line) => isPayment(line) || isRepayment(line))
    .reduce((sum, { cents }) => sum + cents, 0);
}

const { by, what, earlier } = ownPageWords.payments;

function moneyRow(
  line: StatementLine,
  record: RegistrationRecord,
  now: Date,
  w: Writing,
): FactRow | undefined {
  if (line.what === 'scholarship' || line.what === 'reduction')
    return { label: REDUCTIONS[line.what], value: formatCents(line.cents) };
  if (line.what === 'deposit' || line.what === 'balance') {
    const label = line.part ? titleOfPart(line.part) : what[line.what];
    return { label, value: isPayment(line) ? paidWords(line, w) : dueWords(line, record, now, w) };
  }
  if (!isRepayment(line) && line.what !== 'dispute') return undefined;
  const label = line.what === 'dispute' ? 'Taken back by a bank' : 'Given back';
  return { label, value: `${formatCents(-line.cents)} on ${w.day(line.at)}` };
}

function paidWords(
  { way, cents, feeCents, at, card, reference, isEarlier }: PaymentLine,
  w: Writing,
): string {
  const fee = feeCents > 0 && `the card fee of ${formatCents(feeCents)} included`;
  const sum = [formatCents(cents), fee].filter(Boolean).join(', ');
  if (isEarlier) return `${sum}\n${earlier}`;
  const named = reference && (way === 'check' ? `number ${reference}` : `reference ${reference}`);
  const how = card ? nameCard(card) : cents > 0 && by[way];
  return `${sum}\n${[how, `on ${w.day(at)}`, named].filter(Boolean).join(', ')}`;
}

function dueWords(
  { way, cents, feeCents, at }: PaymentLine,
  record: RegistrationRecord,
  now: Date,
  w: Writing,
) {
  const byCheck = `${formatCents(cents - feeCents)} by check`;
  const sums = way === 'card' ? `${formatCents(cents)} by card, or ${byCheck}` : byCheck;
  if (record.decisions.plan?.paused) return sums;
  return `${sums}\n${at > now ? `due on ${w.day(at)}` : 'due now'}`;
}

/** How what is left is paid next, in whole sentences. */
export function comesNext(record: RegistrationRecord, now: Date, w: Writing): string {
  if (!owes(record)) return 'Nothing is left to pay.';
  const one = nextInstallment(record);
  const what = `${owedTitle(one)}, ${formatCents(one.left.byCardCents)},`;
  const isAhead = one.dueAt > now;
  const day = w.day(one.dueAt);
  const asked = `${what} is not charged automatically: please pay it on your own page${isAhead ? ` by ${day}` : ''}.`;
  switch (chargeObstacle(record, now, one)) {
    case 'check':
      return `${formatCents(leftToPay(record).beforeFeeCents)} is left to pay, by check: nothing is charged to your card.`;
    case 'plan-paused':
      return 'Your payment plan is paused: the retreat office will write to you before anything is charged.';
    case 'no-consent':
    case 'no-card':
    case 'plan-not-agreed':
      return asked;
    case 'too-late':
      return `${what} is not charged automatically: please pay it on your own page.`;
    case 'no-notice':
      if (!isAhead) return asked;
      return `${what} is due too soon for us to tell you three days ahead, so we will not charge it: please pay it on your own page by ${day}.${one.part ? ' Later parts are charged on their dates.' : ''}`;
    case undefined:
      if (!isAhead) break;
      return `${what} is charged to your card on ${day}. We e-mail you at least three days before each charge${one.part ? ', and if one does not go through, the other parts keep their dates' : ''}.`;
  }
  return `${what} is left to pay: your own page shows the details.`;
}

export function msUntilDue({ dueAt }: Pick<Installment, 'dueAt'>, now: Date): number {
  return dueAt.getTime() - now.getTime();
}

export function depositWay({ depositCents, depositDueCents, received }: RegistrationRecord) {
  if (depositDueCents === undefined) return undefined;
  return depositCents === 0 ? ('scholarship' as const) : received.counting.at(0)?.way;
}
