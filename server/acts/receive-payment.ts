import * as v from 'valibot';
import { WITHDRAWAL } from '#server/registration/act-kinds.ts';
import { afterAct } from '#server/registration/after-act.ts';
import {
  isRestByCheck,
  isTooSmallForCard,
  leftToPay,
  nextInstallment,
  owes,
  surplusLeft,
} from '#server/registration/balance.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import { freeOf } from '#server/registration/places.ts';
import { type Received, TAKEN_BACK } from '#server/registration/received.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { heldEnd, stateOf } from '#server/registration/registration-state.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { type ActContext, impossible, type Said, wrongUsage } from './act.ts';
import { canReceive, recordReceived, takeBackReceived } from './decide.ts';
import { depositLeftWords, surplusWords } from './decide-registration.ts';
import { dayOrTime, dollars, paymentNumber } from './given.ts';
import { localMoment, plannedAct, requireSince } from './registration-act.ts';
import { chargeSentence, moment, receivedWords } from './words.ts';

/** Records a check or a transfer that came. She gets a letter; what is more than was left to pay is to be sent back to her. */
export const receive = plannedAct({
  id: 'received',
  heading: 'A check or a transfer has come',
  sentence: 'Records what came: all that is left to pay, a part of it, or more.',
  group: 'money',
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
    on: { takes: dayOrTime, label: 'When it came', input: 'moment' },
    number: {
      takes: paymentNumber,
      label: 'Its number',
      hint: 'Of the check, or the reference of the transfer. It may be left out.',
      isOptional: true,
    },
  },
  whyNot: ({ record, now }) =>
    canReceive(record, now)
      ? undefined
      : 'A check or a transfer is recorded while she has a place, or one is held for her: hold one first, or send back what came.',
  confirm: ({ way, dollars: cents, number }) => `Record her ${receivedWords({ way, cents, number })}`,
  async plan({ record, now, by }, { way, dollars: cents, on: day, number }, context) {
    if (cents === 0) throw wrongUsage('The amount must be more than $0');
    const on = localMoment(record, day);
    if (on > now) throw impossible('It cannot have come in the future.');
    requireSince(record, day);
    const payment = { way, cents, on, ...(number !== '' && { number }) };
    const act = { at: now, by };
    const after = afterAct(record, { ...act, kind: 'received', facts: payment });
    const says = [
      `Her ${receivedWords(payment)} came on ${moment(on, record)}.`,
      ...standingAfter(record, after, now),
      sameBefore(record, payment),
      await overbookedBy(context, record, after, now),
    ];
    return {
      says,
      settles: payment,
      carryOut: (payments) => payments.ask(recordReceived, record, { ...payment, ...act }),
    };
  },
});

/** Records that a check or a transfer no longer counts, and why: one that bounced is told to her. */
export const takeBack = plannedAct({
  id: 'take-back',
  heading: 'A check or a transfer does not count',
  sentence: 'Takes back what was recorded as come: a check that bounced, or a mistake.',
  group: 'money',
  fields: {
    payment: {
      takes: v.string(),
      label: 'Which one',
      choices: ({ record }) =>
        record.received.counting.map((one) => ({ value: one.name, words: `The ${receivedWords(one)}` })),
    },
    why: {
      takes: v.picklist(['bounced', 'mistake'], 'Please choose why'),
      label: 'Why',
      choices: TAKEN_BACK,
    },
  },
  whyNot: ({ record }) =>
    record.received.counting.length > 0 ? undefined : 'No check and no transfer has come.',
  confirm: () => 'Record that it does not count',
  plan({ record, now, by }, { payment: name, why }) {
    const payment = record.received.counting.find((one) => one.name === name);
    if (!payment) throw impossible(`She has no payment ${name} that could be taken back.`);
    const act = { at: now, by };
    const after = afterAct(record, { ...act, kind: WITHDRAWAL, undoes: payment.id, facts: { why } });
    const says = [
      `Her ${receivedWords(payment)} no longer counts: ${TAKEN_BACK[why].toLowerCase()}.`,
      ...standingAfter(record, after, now),
      why === 'bounced' ? 'A message tells her.' : '',
    ];
    return {
      says,
      settles: [name, why],
      carryOut: (payments) => payments.ask(takeBackReceived, record, payment, { ...act, why }),
    };
  },
});

/** What is left to pay, and how, or what she has paid beyond that. */
function standingAfter(record: RegistrationRecord, after: RegistrationRecord, now: Date): readonly Said[] {
  if (after.deposit === 'unpaid') return [depositLeftWords(after)];
  const welcome =
    record.deposit === 'unpaid' ? ['The deposit is paid: she has a place, and the welcome goes out.'] : [];
  const owed = record.deposit === 'unpaid' || owes(record);
  const { beforeFeeCents: before } = leftToPay(record);
  const { beforeFeeCents: left, byCardCents } = leftToPay(after);
  const orByCard = isRestByCheck(after) ? '' : `, or ${formatCents(byCardCents)} by card`;
  const fee = onWays(balanceTermsOf(after).prices, ', without a card fee');
  const sum = {
    sum: [
      { words: `left of the balance${fee}`, cents: before },
      { words: left > before ? 'taken back' : 'came of it', cents: left - before },
    ],
  };
  if (surplusLeft(after) > 0) return [...welcome, ...(owed ? [sum] : []), surplusWords(after)];
  if (!owes(after)) return [...welcome, sum, 'Nothing is left to pay.'];
  const next = nextInstallment(after);
  return [
    ...welcome,
    sum,
    `${formatCents(left)} is left by check${orByCard}, due ${moment(next.dueAt, after)}.`,
    isTooSmallForCard(next)
      ? 'No card can pay so little: take it off her tuition.'
      : chargeSentence(after, now),
  ];
}

/** What comes for a place that is not held any more may find none free. */
async function overbookedBy(
  context: ActContext,
  { edition: { facts }, ...record }: RegistrationRecord,
  after: RegistrationRecord,
  now: Date,
): Promise<string> {
  const isLate = record.deposit === 'unpaid' && after.deposit === 'paid' && stateOf(after, now) !== 'held';
  const held = record.decisions.held && now < heldEnd(record.decisions.held);
  if (!isLate || held || facts.places === undefined) return '';
  return freeOf(await context.admission.places.count(facts)) > 0
    ? ''
    : 'Her place is no longer held, and none is free: with her there is one more than planned.';
}

/** Two people of the office may record the same check. */
function sameBefore(record: RegistrationRecord, payment: Pick<Received, 'way' | 'cents' | 'number'>): string {
  const same = record.received.counting.find(
    ({ way, cents, number }) => way === payment.way && cents === payment.cents && number === payment.number,
  );
  if (!same) return '';
  return `Please look: a ${receivedWords(same)} was recorded before, by ${same.by} on ${moment(same.at, record)}. This is one more.`;
}
