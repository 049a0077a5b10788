import * as v from 'valibot';
import { obstacleWords } from '#server/letters/office-digest-words.ts';
import type { Situation } from '#server/office/timeline.ts';
import { moment, receivedWords } from '#server/office/words.ts';
import {
  askedCents,
  balanceTermsOf,
  canReceive,
  chargeObstacle,
  lastDecline,
  leftToPay,
  MOST_TRIES,
  NOTICE_MS,
  nextInstallment,
  owedByCheck,
  PLACED,
} from '#server/registration/registration.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { impossible, wrongUsage } from './command.ts';
import { day, dollars, paymentNumber, reasonIfAny } from './inputs.ts';
import { dayEnd, eventCommand, localMoment, onlyIn, pastMoment, whileOwing } from './registration-command.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const waive = eventCommand({
  id: 'waive',
  heading: 'Give a scholarship, or another price',
  sentence:
    'Takes so much off the tuition: of what is left to pay first, then of the deposit. A message tells her.',
  group: 'pays',
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
  refuses: onlyIn(
    ['held', ...PLACED],
    'This is decided after the deposit is paid or a place is held, while she has not cancelled.',
  ),
  button: (input) => `Take ${formatCents(input.dollars)} off her tuition`,
  events({ record }, { dollars: cents, as, reason }) {
    requireSum(cents);
    const most = askedCents(record.ledger) + (record.decisions.waived?.cents ?? 0);
    if (cents > most) throw impossible(`No more than the tuition of ${formatCents(most)} can be waived.`);
    return [{ kind: 'waived', facts: { cents, as, ...(reason !== '' && { reason }) } }];
  },
});

export function requireSum(cents: number): void {
  if (cents === 0) throw wrongUsage('The amount must be more than $0');
}

const whileDue = onlyIn(
  ['due', 'retrying', 'action-needed'],
  'A card is charged once the balance is due, while something is left to pay.',
);

const charge = eventCommand({
  id: 'charge',
  helps: ['overdue'],
  heading: 'Charge her card now',
  sentence: 'Tries her card again at once, also before the day that was planned after a decline.',
  group: 'pays',
  refuses(about) {
    const { record, now } = about;
    const why = whileDue(about);
    if (why) return why;
    const obstacle = chargeObstacle(record, now);
    if (obstacle) return `Her card cannot be charged: ${obstacleWords[obstacle]}.`;
    const decline = lastDecline(record);
    if (decline?.final)
      return `Her card was refused for good (${decline.code}): she can pay, or give another card, on her page.`;
    if (nextInstallment(record).tries >= MOST_TRIES)
      return `It was tried ${MOST_TRIES} times: she can pay on her page.`;
    return undefined;
  },
  button: (_, { record }) =>
    `Charge ${formatCents(nextInstallment(record).left.byCardCents)} to her card now`,
  events: () => [{ kind: 'charge' }],
});

const payByCheck = eventCommand({
  id: 'pay-by-check',
  heading: 'She will pay by check',
  sentence: 'Records that a check or a transfer is to come, so that her card is not charged.',
  group: 'pays',
  refuses: whileOwing,
  button: (_, { record }) => `Record that she pays ${formatCents(leftToPay(record).beforeFeeCents)} by check`,
  events: () => [{ kind: 'check' }],
});

/** The earliest moment at which something new can be charged: a letter tells her before, and may take a day. */
export const earliestCharge = (now: Date): Date => new Date(now.getTime() + NOTICE_MS + DAY_MS);

export function chargeMoment({ record }: Situation, on: string): Date {
  return localMoment(record, `${on}T${record.edition.facts.balance.chargeAt.slice(11, 16)}`);
}

const postpone = eventCommand({
  id: 'postpone',
  heading: 'Postpone the balance',
  sentence: 'Has the balance charged on a later day; a message tells her three days before at least.',
  group: 'pays',
  fields: { day: { takes: day, label: 'The day on which it is due instead', input: 'day' } },
  refuses(about) {
    const { plan, check } = about.record.decisions;
    return (
      whileOwing(about) ?? (plan && !check ? 'She pays by a plan: give its parts other days.' : undefined)
    );
  },
  button: (input) => `Postpone her balance to ${formatDate(input.day)}`,
  events(about, { day: on }) {
    const { record, now } = about;
    const until = chargeMoment(about, on);
    const dueAt = balanceDueAt(balanceTermsOf(record), record.paidAt ?? record.begunAt);
    const earliest = earliestCharge(now);
    if (until <= now) throw impossible(`${on} is past.`);
    if (until <= dueAt) throw impossible(`The balance is due ${moment(dueAt, record)}: name a later day.`);
    if (until < earliest)
      throw impossible(
        `She is told three days before she is charged: name a day after ${moment(earliest, record)}.`,
      );
    if (until >= new Date(record.edition.facts.endsAt))
      throw impossible('The retreat is over by then, and nothing more is charged.');
    return [{ kind: 'postponed', facts: { until } }];
  },
});

const receive = eventCommand({
  id: 'received',
  helps: ['deposit-late', 'check-overdue'],
  heading: 'A check or a transfer has come',
  sentence: 'Records what came: all that is left to pay, a part of it, or more.',
  group: 'pays',
  fields: {
    way: {
      takes: v.picklist(['check', 'transfer'], 'Please choose how it came'),
      label: 'How it came',
      choices: { check: 'By check', transfer: 'By bank transfer' },
    },
    dollars: {
      takes: dollars,
      label: 'How much',
      hint: 'In dollars.',
      input: 'amount',
      initial: ({ record }) => String(nextInstallment(record).left.beforeFeeCents / 100),
    },
    on: { takes: day, label: 'When it came', input: 'day' },
    number: {
      takes: paymentNumber,
      label: 'Its number',
      hint: 'Of the check, or the reference of the transfer. It may be left out.',
      isOptional: true,
    },
  },
  refuses: ({ record, now }) =>
    canReceive(record, now)
      ? undefined
      : 'A check or a transfer is recorded while she has a place, or one is held for her: hold one first, or send back what came.',
  button: ({ way, dollars: cents, number }) => `Record her ${receivedWords({ way, cents, number })}`,
  events(about, { way, dollars: cents, on: typed, number }) {
    requireSum(cents);
    const on = pastMoment(about, typed, 'It cannot have come');
    return [{ kind: 'received', facts: { way, cents, on, ...(number !== '' && { number }) } }];
  },
  warns({ about: { record } }, { way, dollars: cents, number }) {
    const same = record.received.counting.find(
      (one) => one.way === way && one.cents === cents && one.number === (number || undefined),
    );
    return same
      ? [
          `Please look: a ${receivedWords(same)} was recorded before, by ${same.by} on ${moment(same.at, record)}. This is one more.`,
        ]
      : [];
  },
});

const refundByCheck = eventCommand({
  id: 'refund-by-check',
  helps: ['check-to-send'],
  heading: 'A check was sent to her',
  sentence: 'Records that the check that was owed to her is on its way.',
  group: 'over',
  fields: {
    dollars: {
      takes: dollars,
      label: 'Its amount',
      hint: 'In dollars: just what is owed to her.',
      input: 'amount',
      initial: ({ record }) => (owedByCheck(record) / 100).toFixed(2),
    },
    sent: { takes: day, label: 'The day on which it was sent', input: 'day' },
  },
  refuses: (about) =>
    owedByCheck(about.record) > 0
      ? whileDisputed(about, 'nothing is owed by check')
      : 'No check is owed to her: to give something back, decide on an exception.',
  button: (input) => `Record that a check of ${formatCents(input.dollars)} was sent`,
  events(about, { dollars: cents, sent }) {
    const { record } = about;
    const owed = owedByCheck(record);
    if (cents !== owed)
      throw impossible(`${formatCents(owed)} is owed to her by check, not ${formatCents(cents)}.`);
    const sentAt = pastMoment(about, sent, 'A check cannot have been sent');
    const since = record.cancelled?.at ?? record.decisions.refund?.at;
    if (since && dayEnd(record, sent) <= since)
      throw impossible(`It was not owed before ${moment(since, record)}.`);
    return [{ kind: 'checkSent', facts: { cents, sentAt } }];
  },
});

export const whileDisputed = ({ record }: Situation, what: string): string | undefined =>
  record.disputed
    ? `She disputes a charge: ${what} before it is recorded that the dispute is over.`
    : undefined;

export const moneyCommands = [receive, payByCheck, waive, postpone, charge, refundByCheck];
