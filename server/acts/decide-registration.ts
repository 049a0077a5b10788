import * as v from 'valibot';
import type { DecisionKind } from '#server/registration/act-kinds.ts';
import { afterDecision, afterWithdrawal } from '#server/registration/after-act.ts';
import {
  isRestByCheck,
  leftToPay,
  nextInstallment,
  owedByCheck,
  owes,
  owesNothing,
  paidBalances,
  surplusLeft,
} from '#server/registration/balance.ts';
import { leftToRefund } from '#server/registration/cancelling.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import { chargeObstacle, lastDecline, NOTICE_MS } from '#server/registration/charges.ts';
import { MOST_TRIES } from '#server/registration/declines.ts';
import { depositLeftOf, notAskedOfDeposit, receivedCentsOf } from '#server/registration/deposit.ts';
import { askedCents, sumOfCents, sumOfFees, toLeave } from '#server/registration/ledger.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { formatDate } from '#shared/dates.ts';
import { formatCents, onWays, percentOf } from '#shared/money.ts';
import { findRegistrationOf, impossible, type Refusal, totalOf, wrongUsage } from './act.ts';
import { canWithdraw, decide } from './decide.ts';
import { day, dollars, reasonIfAny } from './given.ts';
import {
  carryOutFor,
  decisionAct,
  localMoment,
  notAllowed,
  registrationAct,
  type Standing,
} from './registration-act.ts';
import { chargeSentence, moment, obstacleWords } from './words.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const waive = decisionAct({
  id: 'waive',
  heading: 'Give a scholarship, or another price',
  sentence:
    'Takes so much off the tuition: of what is left to pay first, then of the deposit. A message tells her.',
  group: 'money',
  fields: {
    dollars: {
      takes: dollars,
      label: 'How much is not asked of her',
      hint: 'In dollars, of the tuition before any card fee. It replaces what was taken off before.',
      input: 'amount',
    },
    as: {
      takes: v.picklist(['scholarship', 'reduction'], 'Please choose what it is'),
      label: 'What it is',
      choices: { scholarship: 'A scholarship', reduction: 'Another price' },
    },
    reason: {
      takes: reasonIfAny,
      label: 'Why',
      hint: 'For the office: she does not read it. It may be left out.',
      isOptional: true,
    },
  },
  confirm: (given) => `Take ${formatCents(given.dollars)} off her tuition`,
  decides: 'waived',
  plan(record, act, { dollars: cents, as, reason }) {
    if (cents === 0) throw wrongUsage('The amount must be more than $0');
    const { prices } = balanceTermsOf(record);
    const most = askedCents(record.ledger) + (record.decisions.waived?.cents ?? 0);
    if (cents > most) throw impossible(`No more than the tuition of ${formatCents(most)} can be waived.`);
    const decision = { ...act, cents, as, ...(reason !== '' && { reason }) };
    const after = afterDecision(record, 'waived', decision);
    const { byCardCents, beforeFeeCents, feeCents } = leftToPay(after);
    const byCheck = isRestByCheck(after);
    const ofBalance = Math.min(cents, prices.balanceBeforeFeeCents);
    const receivedCents = receivedCentsOf(record);
    const isOwed = owes(after);
    const paidCents = isOwed ? paidBalances(record).reduce((sum, one) => sum + one.beforeFeeCents, 0) : 0;
    const lines = [
      { words: 'tuition after the deposit', cents: prices.balanceBeforeFeeCents },
      { words: as === 'scholarship' ? 'scholarship' : 'waived', cents: -ofBalance },
      { words: 'came by check or transfer', cents: -receivedCents },
      { words: 'parts that her card paid', cents: -paidCents },
      { words: `card fee of ${percentOf(prices.cardFeePerMille)} on the rest`, cents: feeCents },
    ];
    const surplus = surplusLeft(after);
    const isHeld = after.deposit === 'unpaid';
    const says = [
      isHeld ? `${depositLeft(after)}.` : '',
      isHeld
        ? `The balance after it is ${formatCents(byCardCents)} by card.`
        : isOwed
          ? `The balance is ${byCheck ? `${formatCents(beforeFeeCents)} by check` : `${formatCents(byCardCents)} by card`}.`
          : 'Nothing is left to pay.',
      ...(isOwed || isHeld ? [{ sum: lines.filter((line) => line.cents !== 0) }] : []),
      surplus > 0 ? surplusWords(after) : '',
      'A message tells her.',
    ];
    return { decision, says };
  },
});

const depositLeft = (record: RegistrationRecord): string =>
  `${formatCents(depositLeftOf(record))} of the deposit is left`;

export function depositLeftWords(record: RegistrationRecord): string {
  return `${depositLeft(record)}: until it has come, she has no place.`;
}

/** What is to be done with what she has paid beyond what she owes. */
export function surplusWords(record: RegistrationRecord): string {
  const cents = surplusLeft(record);
  const { balance, deposit } = leftToRefund(record);
  const isOfCard = balance + (notAskedOfDeposit(record) > 0 ? deposit : 0) >= cents;
  const how = isOfCard
    ? 'give it back to her card as an exception, or send her a check of it'
    : 'send her a check of it';
  return `She has paid ${formatCents(cents)} more than she owes: ${how}.`;
}

export const charge = decisionAct({
  id: 'charge',
  heading: 'Charge her card now',
  sentence: 'Tries her card again at once, also before the day that was planned after a decline.',
  group: 'money',
  confirm: (_given, _told, { record }) =>
    `Charge ${formatCents(nextInstallment(record).left.byCardCents)} to her card now`,
  decides: 'charge',
  whyNot({ record, now }) {
    const obstacle = chargeObstacle(record, now);
    if (obstacle) return `Her card cannot be charged: ${obstacleWords[obstacle]}.`;
    const decline = lastDecline(record);
    if (decline?.final)
      return `Her card was refused for good (${decline.code}): she can pay, or give another card, on her page.`;
    if (nextInstallment(record).tries >= MOST_TRIES)
      return `It was tried ${MOST_TRIES} times: she can pay on her page.`;
    return undefined;
  },
  plan(record, act) {
    const card = record.card ? nameCard(record.card) : 'card';
    const cents = formatCents(nextInstallment(record).left.byCardCents);
    return { decision: act, says: [`The site charges ${cents} to her ${card} now.`] };
  },
});

export const payByCheck = decisionAct({
  id: 'pay-by-check',
  heading: 'She will pay by check',
  sentence: 'Records that a check or a transfer is to come, so that her card is not charged.',
  group: 'money',
  confirm: (_given, told) => `Record that she pays ${formatCents(totalOf(told.says))} by check`,
  decides: 'check',
  plan(record, act) {
    const { beforeFeeCents: cents } = leftToPay(record);
    const fee = onWays(balanceTermsOf(record).prices, ', without a card fee');
    const says = [
      `She pays ${formatCents(cents)} by check or transfer. Her card is not charged.`,
      { sum: [{ words: `balance${fee}`, cents }] },
    ];
    return { decision: act, says };
  },
});

/** Makes the balance due on a later day, at the edition's hour; never earlier than she agreed to. */
export const postpone = decisionAct({
  id: 'postpone',
  heading: 'Postpone the balance',
  sentence: 'Has the balance charged on a later day; a message tells her three days before at least.',
  group: 'money',
  fields: {
    day: { takes: day, label: 'The day on which it is due instead', input: 'day' },
  },
  confirm: (given) => `Postpone her balance to ${formatDate(given.day)}`,
  decides: 'postponed',
  plan(record, act, { day: date }) {
    const { facts } = record.edition;
    const { balance, endsAt } = facts;
    const until = localMoment(record, `${date}T${balance.chargeAt.slice(11, 16)}`);
    if (until <= act.at) throw impossible(`${date} is past.`);
    const dueAt = balanceDueAt(balanceTermsOf(record), record.paidAt ?? record.begunAt);
    if (until <= dueAt) throw impossible(`The balance is due ${moment(dueAt, record)}: name a later day.`);
    const earliest = new Date(act.at.getTime() + NOTICE_MS + DAY_MS);
    if (until < earliest)
      throw impossible(
        `She is told three days before she is charged: name a day after ${moment(earliest, record)}.`,
      );
    if (until >= new Date(endsAt))
      throw impossible('The retreat is over by then, and nothing more is charged.');
    const { byCardCents } = nextInstallment(record).left;
    const decision = { ...act, until };
    const after = afterDecision(record, 'postponed', decision);
    const says = [
      `The balance of ${formatCents(byCardCents)} is due ${moment(until, record)}.`,
      chargeSentence(after, act.at),
    ];
    return { decision, says };
  },
});

/** The decisions that can be withdrawn, in words. */
const withdrawable = {
  waived: 'waiver',
  check: 'check for the balance',
  postponed: 'later due day',
  plan: 'payment plan',
  checkSent: 'check that was sent to her',
  refund: 'exception',
  handOver: 'handing over of her place',
} as const satisfies Partial<Record<DecisionKind, string>>;
export type Withdrawable = keyof typeof withdrawable;
const WITHDRAWABLE = Object.keys(withdrawable).filter((kind): kind is Withdrawable => kind in withdrawable);

export const withdraw = registrationAct({
  id: 'withdraw',
  heading: 'Withdraw a decision',
  sentence:
    'Records that a decision no longer holds: a waiver, a check, a later day, a plan, an exception, a handing over.',
  group: 'money',
  fields: {
    decision: {
      takes: v.picklist(WITHDRAWABLE, 'Please choose what no longer holds'),
      label: 'What no longer holds',
      choices: (situation) =>
        toWithdraw(situation).map((value) => ({ value, words: `The ${withdrawable[value]}` })),
    },
  },
  whyNot: (situation) =>
    toWithdraw(situation).length > 0 ? undefined : 'Nothing is decided that could be withdrawn.',
  confirm: (given) => `Withdraw the ${withdrawable[given.decision]}`,
  async run(context, id, { decision: kind }, asked) {
    const record = await findRegistrationOf(context, id);
    const at = context.now();
    if (!record.decisions[kind]) throw impossible(`There is no ${withdrawable[kind]} to be withdrawn.`);
    if (!canWithdraw(record, kind, at)) throw notWithdrawn(record, kind, at);
    const act = { at, by: asked.by };
    const after = afterWithdrawal(record, kind, act);
    const says = [`The ${withdrawable[kind]} no longer holds.`, ...leftAfter(record, after, kind, at)];
    return carryOutFor(context, record, asked, { says, settles: kind }, (payments) =>
      payments.ask(decide, record, kind, { ...act, withdrawn: true }),
    );
  },
});

function toWithdraw({ record, now }: Standing): readonly Withdrawable[] {
  return WITHDRAWABLE.filter((kind) => record.decisions[kind] && canWithdraw(record, kind, now));
}

function notWithdrawn(record: RegistrationRecord, kind: DecisionKind, now: Date): Refusal {
  if (kind !== 'refund') return notAllowed(record, kind, now);
  return impossible('It is carried out: what went back to her card cannot be taken back.');
}

/** The description of what is left after a decision is withdrawn. */
function leftAfter(
  record: RegistrationRecord,
  after: RegistrationRecord,
  kind: DecisionKind,
  now: Date,
): readonly string[] {
  if (kind === 'checkSent') return [`${formatCents(owedByCheck(after))} is owed to her by check.`];
  if (kind === 'refund') {
    const ordered = toLeave(record.ledger).filter(({ id }) =>
      after.payouts.some((one) => one.id === id && one.state === 'withdrawn'),
    );
    return [
      `${formatCents(sumOfCents(ordered) + sumOfFees(ordered))} of it has not gone back, and will not go back.`,
    ];
  }
  if (kind === 'handOver') return ['The place stays hers, and nobody can take it by a link any more.'];
  if (after.deposit === 'unpaid') return [depositLeftWords(after)];
  if (owesNothing(after))
    return ['Nothing is left to pay.', surplusLeft(after) > 0 ? surplusWords(after) : ''];
  const { left, dueAt } = nextInstallment(after);
  return [
    `The balance of ${formatCents(left.byCardCents)} is due ${moment(dueAt, after)}.`,
    chargeSentence(after, now),
  ];
}
