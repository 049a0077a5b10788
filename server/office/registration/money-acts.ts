import * as v from 'valibot';
import { totalOf, whyNotDecided } from '#server/acts/carry-out.ts';
import { charge, whyNotCharged } from '#server/acts/charge-registration.ts';
import {
  payByCheck,
  postpone,
  type Withdrawable,
  waive,
  withdraw,
  withdrawable,
} from '#server/acts/decide-registration.ts';
import {
  day,
  dayOrTime,
  dollars,
  howAgreed,
  mark,
  paymentNumber,
  planParts,
  wayBesideCard,
} from '#server/acts/given.ts';
import { agreeToPlan, partsToBegin, planPayments, type TypedPart } from '#server/acts/payment-plan.ts';
import { receivedWords, sentence } from '#server/acts/plain-words.ts';
import { receive, takeBack, whyNotReceived } from '#server/acts/receive-payment.ts';
import { canWithdraw } from '#server/payments/decide.ts';
import { HOW_AGREED } from '#server/record/acts.ts';
import { REASON_LENGTH } from '#server/record/decisions.ts';
import { TAKEN_BACK } from '#server/record/received.ts';
import { balanceOfRecord } from '#server/record/registration-record.ts';
import { formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { registrationAct, type Situation } from './registration-act.ts';

const DECISIONS = [
  'waived',
  'check',
  'postponed',
  'plan',
  'checkSent',
  'refund',
  'twoPeople',
  'handOver',
] as const satisfies Withdrawable[];

/** Acts about the money that she has to pay. */
export const moneyActs = [
  registrationAct({
    id: 'charge',
    heading: 'Charge her card now',
    sentence: 'Tries her card again at once, also before the day that was planned after a decline.',
    group: 'money',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotDecided(record, 'charge', now) ?? whyNotCharged(record, now),
    run: (context, { record }, _given, asked) => charge(context, record.id, asked),
    confirm: (_given, _told, { record }) =>
      `Charge ${formatCents(balanceOfRecord(record).byCardCents)} to her card now`,
  }),
  registrationAct({
    id: 'pay-by-check',
    heading: 'She will pay by check',
    sentence: 'Records that a check or a transfer is to come, so that her card is not charged.',
    group: 'money',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotDecided(record, 'check', now),
    run: (context, { record }, _given, asked) => payByCheck(context, record.id, asked),
    confirm: (_given, told) => `Record that she pays ${formatCents(totalOf(told.says))} by check`,
  }),
  registrationAct({
    id: 'received',
    heading: 'A check or a transfer has come',
    sentence: 'Records what came: all that is left to pay, a part of it, or more.',
    group: 'money',
    takes: {
      way: wayBesideCard('Please choose how it came'),
      dollars: dollars('Please give'),
      on: dayOrTime('Please give'),
      number: paymentNumber('Please use 20 characters at most'),
    },
    fields: {
      way: {
        label: 'How it came',
        input: 'choice',
        choices: () => [
          { value: 'check', words: 'By check' },
          { value: 'transfer', words: 'By bank transfer' },
        ],
      },
      dollars: {
        label: 'How much',
        hint: 'In dollars.',
        input: 'amount',
        initial: ({ record }) => String(balanceOfRecord(record).byCheckCents / 100),
      },
      on: { label: 'When it came', input: 'moment' },
      number: {
        label: 'Its number',
        hint: 'Of the check, or the reference of the transfer. It may be left out.',
        input: 'line',
        isOptional: true,
      },
    },
    whyNot: ({ record, now }) => whyNotReceived(record, now),
    run: (context, { record }, { dollars: cents, ...given }, asked) =>
      receive(context, record.id, { cents, ...given }, asked),
    confirm: ({ way, dollars: cents, number }) => `Record her ${receivedWords({ way, cents, number })}`,
  }),
  registrationAct({
    id: 'take-back',
    heading: 'A check or a transfer does not count',
    sentence: 'Takes back what was recorded as come: a check that bounced, or a mistake.',
    group: 'money',
    takes: {
      payment: v.string(),
      why: v.picklist(['bounced', 'mistake'], 'Please choose why'),
    },
    fields: {
      payment: {
        label: 'Which one',
        input: 'choice',
        choices: ({ record }) =>
          record.received.counting.map((one) => ({ value: one.name, words: `The ${receivedWords(one)}` })),
      },
      why: {
        label: 'Why',
        input: 'choice',
        choices: () => Object.entries(TAKEN_BACK).map(([value, words]) => ({ value, words })),
      },
    },
    whyNot: ({ record }) =>
      record.received.counting.length > 0 ? undefined : 'No check and no transfer has come.',
    run: (context, { record }, given, asked) => takeBack(context, record.id, given.payment, given.why, asked),
    confirm: () => 'Record that it does not count',
  }),
  registrationAct({
    id: 'waive',
    heading: 'Give a scholarship, or another price',
    sentence:
      'Takes so much off the tuition: of what is left to pay first, then of the deposit. A letter tells her.',
    group: 'money',
    takes: {
      dollars: dollars('Please give'),
      as: v.picklist(['scholarship', 'reduction'], 'Please choose what it is'),
      reason: v.pipe(v.string(), v.maxLength(REASON_LENGTH, 'Please use 200 characters at most')),
    },
    fields: {
      dollars: {
        label: 'How much is not asked of her',
        hint: 'In dollars, of the tuition before the card fee. It replaces what was taken off before.',
        input: 'amount',
      },
      as: {
        label: 'What it is',
        input: 'choice',
        choices: () => [
          { value: 'scholarship', words: 'A scholarship' },
          { value: 'reduction', words: 'Another price' },
        ],
      },
      reason: {
        label: 'Why',
        hint: 'For the office: she does not read it. It may be left out.',
        input: 'line',
        isOptional: true,
      },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'waived', now),
    run: (context, { record }, { dollars: cents, ...given }, asked) =>
      waive(context, record.id, { cents, ...given }, asked),
    confirm: (given) => `Take ${formatCents(given.dollars)} off her tuition`,
  }),
  registrationAct({
    id: 'postpone',
    heading: 'Postpone the balance',
    sentence: 'Has the balance charged on a later day; a letter tells her three days before at least.',
    group: 'money',
    takes: { day: day('Please give') },
    fields: { day: { label: 'The day on which it is due instead', input: 'day' } },
    whyNot: ({ record, now }) => whyNotDecided(record, 'postponed', now),
    run: (context, { record }, given, asked) => postpone(context, record.id, given.day, asked),
    confirm: (given) => `Postpone her balance to ${formatDate(given.day)}`,
  }),
  registrationAct({
    id: 'plan',
    heading: 'Let her pay in parts',
    sentence:
      'Makes a payment plan of two to four parts, or gives its parts other days and sums. A letter asks her to agree to it; ending it is a decision that is withdrawn.',
    group: 'money',
    takes: { parts: planParts('Please give'), paused: mark },
    fields: {
      parts: {
        label: 'The parts that are not paid yet',
        hint: 'A line for each one: its day, and its sum without the card fee, such as 2027-03-08 200. What has no sum is divided equally.',
        input: 'text',
        initial: ({ record, now }) => partsToBegin(record, now).map(lineOfPart).join('\n'),
      },
      paused: {
        label: 'Pause it: no part is charged until this mark is taken away',
        input: 'mark',
        isOptional: true,
        initial: ({ record }) => (record.decisions.plan?.paused ? 'yes' : ''),
      },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'plan', now),
    run: (context, { record }, given, asked) => planPayments(context, record.id, given, asked),
    confirm: ({ parts, paused }, _told, { record }) =>
      paused
        ? 'Pause her plan'
        : record.decisions.plan
          ? 'Change her plan'
          : `Let her pay in ${parts.length} parts`,
  }),
  registrationAct({
    id: 'plan-agreed',
    heading: 'She agrees to her payment plan',
    sentence: 'Records that she agreed on the phone or in writing. On her page she does so herself.',
    group: 'money',
    takes: {
      agreed: howAgreed('Please choose how she agreed'),
      agreedOn: day('Please give'),
    },
    fields: {
      agreed: {
        label: 'How she agreed',
        input: 'choice',
        choices: () =>
          Object.entries(HOW_AGREED).map(([value, words]) => ({ value, words: sentence(words) })),
      },
      agreedOn: { label: 'On which day', input: 'day' },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'planAgreed', now),
    run: (context, { record }, { agreed: how, agreedOn: on }, asked) =>
      agreeToPlan(context, record.id, { how, on }, asked),
    confirm: () => 'Record that she agreed to her plan',
  }),
  registrationAct({
    id: 'withdraw',
    heading: 'Withdraw a decision',
    sentence:
      'Records that a decision no longer holds: a waiver, a check, a later day, an exception, a handing over.',
    group: 'money',
    takes: { decision: v.picklist(DECISIONS, 'Please choose what no longer holds') },
    fields: {
      decision: {
        label: 'What no longer holds',
        input: 'choice',
        choices: (situation) =>
          toWithdraw(situation).map((value) => ({ value, words: `The ${withdrawable[value]}` })),
      },
    },
    whyNot: (situation) =>
      toWithdraw(situation).length > 0 ? undefined : 'Nothing is decided that could be withdrawn.',
    run: (context, { record }, given, asked) => withdraw(context, record.id, given.decision, asked),
    confirm: (given) => `Withdraw the ${withdrawable[given.decision]}`,
  }),
];

/** A part as its line is typed. */
function lineOfPart({ day: on, cents }: TypedPart): string {
  return cents === undefined ? on : `${on} ${(cents / 100).toFixed(2)}`;
}

function toWithdraw({ record, now }: Situation): readonly Withdrawable[] {
  return DECISIONS.filter((kind) => record.decisions[kind] && canWithdraw(record, kind, now));
}
