import { hasKind, type Register } from '#server/registration/acts.ts';
import { owedByCheck, owes } from '#server/registration/balance.ts';
import { isRefundOrdered } from '#server/registration/cancelling.ts';
import { readHeld } from '#server/registration/held-register.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { writeAct } from '#server/registration/write-acts.ts';
import { forget } from '#server/stripe/forget.ts';
import { type ActContext, carryOut, findRegistrationOf, refuseIf } from './act.ts';
import { mailName } from './letter-acts.ts';
import { jobsOfPayment } from './mail-jobs.ts';
import { carryOutFor, registrationAct, type Standing } from './registration-act.ts';
import { moment } from './words.ts';

/** Queue events that are kept after a registration was forgotten: they contain mail server replies, with addresses. */
const KEPT_EVENTS = 0;

export const forgetRegistration = registrationAct({
  id: 'forget',
  heading: 'Remove her personal data',
  sentence: 'Removes her name, address and phone wherever this site may, for good.',
  group: 'support',
  role: 'support',
  whyNot: whyNotForgotten,
  confirm: () => 'Remove her personal data for good',
  async run(context, id, _given, asked) {
    const record = await findRegistrationOf(context, id);
    const at = context.now();
    refuseIf(whyNotForgotten({ record, now: at }));
    const held = await readHeld(context.payments);
    refuseIf(held && `Nobody’s data are removed while the register is held. ${held.why}`);
    const mails = await jobsOfPayment(context, record.id);
    const says = [
      record.forgottenAt
        ? `It was forgotten on ${moment(record.forgottenAt, record)}. What was left is removed now.`
        : 'Her name, address, phone, time zone and answers are removed, and what they were before.',
      `${mails.length} of her mails are taken off the queue. Links to her page no longer work.`,
      'Sums, decisions and the version of the terms stay. It cannot be taken back.',
    ];
    const left = leftoverWords(record);
    const told = await carryOutFor(context, record, asked, { says }, async (payments) => {
      await payments.ask(forget, record, asked.by, at);
      const unsent = await removeMails(context, record.id);
      return [...unsent, ...left];
    });
    if (told.outcome === 'done') return told;
    return { ...told, says: [...told.says, ...left] };
  },
});

function whyNotForgotten({ record, now }: Standing): string | undefined {
  const why = keptFor(record, now);
  return why && `This registration cannot be forgotten yet: ${why}.`;
}

/** Undefined when nothing is owed and nothing is still to happen. */
function keptFor(record: RegistrationRecord, now: Date): string | undefined {
  const state = stateOf(record, now);
  if (record.disputed) return 'she disputes a charge: record first that the dispute is over';
  const isMoneyUnderWay =
    ['cancelling', 'cancelled', 'refund-pending', 'refund-failed'].includes(state) ||
    isRefundOrdered(record) ||
    owedByCheck(record) > 0 ||
    (record.deposit !== 'paid' && record.received.counting.length > 0) ||
    record.refunds.some(({ status }) => status === 'pending');
  if (isMoneyUnderWay) return 'money is still under way to her: wait until it has arrived';
  if (now >= new Date(record.edition.facts.endsAt)) return undefined;
  if (record.deposit === 'unpaid')
    return 'it can still be paid: it is emptied automatically once registration has ended';
  const isToCome = owes(record) || state === 'settled';
  return isToCome ? 'she has a place: cancel it first, or wait until the retreat is over' : undefined;
}

/** Removes her mails from the queue. Names those that BullMQ cannot remove because a worker has just claimed them. */
async function removeMails(context: ActContext, id: string): Promise<readonly string[]> {
  const busy: string[] = [];
  for (const { job, letter } of await jobsOfPayment(context, id)) {
    const isBusy = (await context.queue.getJobState(job.id ?? '')) === 'active';
    if (isBusy) busy.push(mailName(letter?.kind));
    else await job.remove();
  }
  await context.queue.trimEvents(KEPT_EVENTS);
  return busy.map((one) => `${one} is being sent right now: forget her once more in a minute.`);
}

/** Personal data that stays at Stripe, because this site cannot remove it. */
function leftoverWords({ customerId, depositPayment }: RegistrationRecord): readonly string[] {
  const isCancelled = depositPayment?.status === 'cancelled';
  return [
    'At Stripe stay her charges, with billing details, card and the address of the receipt, as the books need them;',
    'cards that were stored, with billing details, which can no longer be charged;',
    ...(isCancelled ? [`the cancelled payment ${depositPayment.id}, which may have her address;`] : []),
    'events and logs of requests, as long as Stripe keeps them; receipts that Stripe sent.',
    `Only Stripe can remove these: by a redaction of ${customerId ?? 'the payment'}, from 90 days after the last payment,`,
    'see https://docs.stripe.com/privacy/redaction. What is redacted cannot be refunded, and loses every dispute.',
  ];
}

export const lookedAt = registrationAct({
  id: 'looked-at',
  heading: 'Mark her payment as looked at',
  sentence: 'Ends the reports about a payment that needed a person. She is not welcomed for it.',
  group: 'support',
  role: 'support',
  whyNot: () => undefined,
  confirm: () => 'Mark her payment as looked at',
  run(context, id, _given, asked) {
    const says = ['This payment is marked as looked at and will not be reported again.'];
    return carryOut(asked, { says, restsOn: [id] }, async () => {
      await markLookedAt(context.payments, id, asked.by, context.now());
      return [];
    });
  },
});

/** Records that a person handles a payment: no welcome is sent, and the worker reports it no more. */
export async function markLookedAt({ database }: Register, id: string, by: string, now: Date): Promise<void> {
  const act = { kind: 'looked-at' as const, at: now, by };
  await writeAct(database, id, (acts) => (hasKind(acts, 'looked-at') ? undefined : act));
}
