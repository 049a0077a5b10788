import { refundStop, workedOffFrom } from '#server/record/cancel-plan.ts';
import type { DisputeOnRecord } from '#server/record/disputes.ts';
import { sumOf } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { formatCents } from '#shared/money.ts';
import { chargeSentence } from './charge-words.ts';
import { moment } from './plain-words.ts';
import { impossible } from './refusal.ts';
import { decisionAct } from './registration-act.ts';

/**
 * Records that the disputes of her charges are over: charges and refunds are automatic again. A charge at Stripe is
 * marked as disputed for ever, so a person has to decide this; whether her bank has decided, only Stripe knows.
 */
export const disputeOver = decisionAct({
  id: 'dispute-over',
  heading: 'The dispute is over',
  sentence: 'Lets money move automatically again, once her bank has decided what she disputed.',
  group: 'cancelling',
  help: [
    'Records that what she disputed is decided: money moves automatically again. Never before her bank has decided.',
  ],
  confirm: () => 'Record that the dispute is over',
  decides: 'disputeOver',
  whyNot: ({ record }) => (record.disputed ? undefined : 'No dispute holds anything up.'),
  plan(record, act) {
    const { disputes } = record;
    const open = disputes.filter(({ isOver }) => !isOver);
    if (open.length > 0) {
      const which = open.map((one) => disputeWords(one, record)).join('; ');
      throw impossible(`Her bank has not decided yet: ${which}.`);
    }
    const charges = disputes.map(({ charge }) => charge);
    if (charges.length === 0) throw impossible('Stripe lists no dispute yet: try again later.');
    const lost = { deposit: lostCents(disputes, 'deposit'), balance: lostCents(disputes, 'balance') };
    const decision = {
      ...act,
      charges: [...new Set(charges)],
      disputes: disputes.map((one) => one.id),
      ...(lost.deposit + lost.balance > 0 && { lost }),
    };
    const after = { ...record, disputed: false, decisions: { ...record.decisions, disputeOver: decision } };
    const says = [...disputes.map((one) => `${disputeWords(one, record)}.`), ...movesAgain(after, act.at)];
    return { decision, says };
  },
});

/** What her bank took back of a payment, in US cents. */
function lostCents(disputes: readonly DisputeOnRecord[], payment: DisputeOnRecord['of']): number {
  return sumOf(disputes.filter(({ of, status }) => of === payment && status === 'lost'));
}

/** One dispute in words, such as `The deposit: $721 disputed on … as fraudulent, lost (du_1)`. */
export function disputeWords(
  { id, of, cents, at, reason, status }: DisputeOnRecord,
  record: RegistrationRecord,
): string {
  const outcome = status === 'lost' ? 'lost: her bank took the money back' : status.replaceAll('_', ' ');
  return `The ${of}: ${formatCents(cents)} disputed on ${moment(at, record)} as ${reason.replaceAll('_', ' ')}, ${outcome} (${id})`;
}

function movesAgain(record: RegistrationRecord, now: Date): readonly string[] {
  const stop = refundStop(record, now);
  const from = workedOffFrom(record);
  return [
    stop === undefined ? 'What was decided to go back goes back as soon as the site gets to it.' : '',
    stop === 'can-be-undone' && from
      ? `What she cancelled is carried out after ${moment(from, record)}.`
      : '',
    owesNothing(record) ? '' : chargeSentence(record, now),
    stop === 'nothing-due' && owesNothing(record) ? 'Nothing is to be charged or given back.' : '',
  ];
}
