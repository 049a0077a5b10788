import type { Situation } from '#server/office/timeline.ts';
import { moment } from '#server/office/words.ts';
import {
  hasKind,
  isRefundOrdered,
  owedByCheck,
  owes,
  type RegistrationRecord,
  readHeld,
  stateOf,
  writeAct,
} from '#server/registration/registration.ts';
import { forget as forgetPerson } from '#server/stripe/forget.ts';
import { type CommandContext, commandsAbout, refuseIf } from './command.ts';
import { registrationCommand } from './registration-command.ts';

/** Queue events that are kept after a registration was forgotten: they contain mail server replies, with addresses. */
const KEPT_EVENTS = 0;

export const forget = registrationCommand({
  id: 'forget',
  heading: 'Remove her personal data',
  sentence: 'Removes her name, address and phone wherever this site may, for good.',
  group: 'support',
  role: 'support',
  refuses: whyNotForgotten,
  async plan({ about: { record, now }, by, context }) {
    const { customerId, depositPayment } = record;
    const isCancelled = depositPayment?.status === 'cancelled';
    const held = await readHeld(context.payments);
    refuseIf(held && `Nobody’s data are removed while the register is held. ${held.why}`);
    return {
      says: [
        record.forgottenAt
          ? `It was forgotten on ${moment(record.forgottenAt, record)}. What was left is removed now.`
          : 'Her name, address, phone, time zone and answers are removed, and what they were before.',
        'Her messages are taken off the queue. Links to her page no longer work.',
        'Sums, decisions and the version of the terms stay. It cannot be taken back.',
        'At Stripe stay her charges, with billing details, cards that can no longer be charged, events and receipts.',
        isCancelled ? `So does the cancelled payment ${depositPayment.id}, which may have her address.` : '',
        `Only Stripe can remove these: by a redaction of ${customerId ?? 'the payment'}, from 90 days after the last payment. What is redacted cannot be refunded.`,
      ],
      async carryOut() {
        await context.payments.ask(forgetPerson, record, by, now);
        return { says: await removeLetters(context, record.id) };
      },
    };
  },
});

function whyNotForgotten({ record, now }: Situation): string | undefined {
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

/** BullMQ cannot remove a letter that a worker has just claimed. */
async function removeLetters(context: CommandContext, id: string): Promise<readonly string[]> {
  let isBusy = false;
  for (const { id: job } of await context.letterLog.about(id)) {
    const found = await context.queue.getJob(job);
    const isActive = (await context.queue.getJobState(job)) === 'active';
    isBusy ||= isActive;
    if (!isActive) await found?.remove();
  }
  await context.queue.trimEvents(KEPT_EVENTS);
  return isBusy ? ['A message to her is being sent right now: forget her once more in a minute.'] : [];
}

/** A registration that may not be readable. */
export interface Reported {
  id: string;
}

/** No welcome is sent for it, and the worker reports it no more. */
export const lookedAt = commandsAbout<Reported>()({
  id: 'looked-at',
  heading: 'Mark a payment as looked at',
  sentence: 'Ends the reports about a payment that needed a person. She is not welcomed for it.',
  role: 'support',
  refuses: () => undefined,
  plan: ({ about: { id }, by, context }) => ({
    says: ['This payment is marked as looked at and will not be reported again.'],
    async carryOut() {
      const act = { kind: 'looked-at' as const, at: context.now(), by };
      const { database } = context.payments;
      await writeAct(database, id, (acts) => (hasKind(acts, 'looked-at') ? undefined : act));
    },
  }),
});
