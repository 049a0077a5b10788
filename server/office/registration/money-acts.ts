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
import { day, dayOrTime, dollars } from '#server/acts/given.ts';
import { canWithdraw } from '#server/payments/decide.ts';
import { balanceOfRecord } from '#server/record/registration-record.ts';
import { formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { registrationAct, type Situation } from './registration-act.ts';

const DECISIONS = [
  'waived',
  'check',
  'postponed',
  'checkSent',
  'refund',
  'twoPeople',
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
    sentence: 'Records that a check is to come, so that her card is not charged.',
    group: 'money',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotDecided(record, 'check', now),
    run: (context, { record }, _given, asked) => payByCheck(context, record.id, asked),
    confirm: (_given, told) => `Record that she pays ${formatCents(totalOf(told.says))} by check`,
  }),
  registrationAct({
    id: 'check-came',
    heading: 'Her check has come',
    sentence: 'Records that her check for the balance is here, so that nothing is left to pay.',
    group: 'money',
    takes: { received: dayOrTime('Please give') },
    fields: { received: { label: 'When it came', input: 'moment' } },
    whyNot: ({ record, now }) => whyNotDecided(record, 'check', now),
    run: (context, { record }, given, asked) => payByCheck(context, record.id, { ...asked, ...given }),
    confirm: (_given, told) => `Record that her check of ${formatCents(totalOf(told.says))} has come`,
  }),
  registrationAct({
    id: 'waive',
    heading: 'Waive a part of the tuition',
    sentence: 'Takes so much off what she still has to pay.',
    group: 'money',
    takes: { dollars: dollars('Please give') },
    fields: {
      dollars: {
        label: 'How much is not asked of her',
        hint: 'In dollars, of the tuition before the card fee. It replaces what was waived before.',
        input: 'amount',
      },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'waived', now),
    run: (context, { record }, given, asked) => waive(context, record.id, given.dollars, asked),
    confirm: (given) => `Waive ${formatCents(given.dollars)} of her tuition`,
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
    id: 'withdraw',
    heading: 'Withdraw a decision',
    sentence: 'Records that a decision no longer holds: a waiver, a check, a later day, an exception.',
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

function toWithdraw({ record, now }: Situation): readonly Withdrawable[] {
  return DECISIONS.filter((kind) => record.decisions[kind] && canWithdraw(record, kind, now));
}
