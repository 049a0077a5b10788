import { canUndoCancel, refundAt, undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import type { Refund } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { totalOf } from './carry-out.ts';
import { chargeSentence } from './charge-words.ts';
import { withoutDecision } from './decide-registration.ts';
import { dayOrTime } from './given.ts';
import { moment } from './plain-words.ts';
import { decisionAct, plannedAct, type Standing } from './registration-act.ts';
import { writtenMoment } from './retreat-dates.ts';

/**
 * Records that she cancelled in writing: nothing more is charged. The refund depends on the moment at which she wrote;
 * the worker makes it automatically, once the cancellation cannot be undone any more.
 */
export const cancel = decisionAct({
  id: 'cancel',
  heading: 'Cancel her registration',
  sentence:
    'Records that she cancelled in writing: nothing more is charged, and what comes back depends on that moment.',
  group: 'cancelling',
  help: [
    'Records that she cancelled in writing, on DATE in the time zone of the retreat: nothing more is charged, and what',
    'comes back depends on DATE. A day counts from its first minute; a time can be added, such as 2027-03-08T17:30. The',
    'worker gives it back automatically 25 hours later.',
  ],
  fields: {
    written: {
      takes: dayOrTime,
      label: 'When she wrote',
      hint: 'By the clocks of the retreat. A day alone counts from its first minute.',
      input: 'moment',
      argument: '--written DATE',
    },
  },
  confirm(_given, told) {
    const cents = totalOf(told.says);
    return cents > 0
      ? `Cancel her registration and give back ${formatCents(cents)}`
      : 'Cancel her registration: nothing goes back';
  },
  decides: 'cancel',
  whyNot: ({ record }) =>
    record.secondOf === undefined
      ? undefined
      : 'She has paid twice: this second payment is given back whole, unless it is somebody else’s.',
  plan(record, act, given) {
    const writtenAt = writtenMoment(record, given.written, act.at);
    const decision = { ...act, writtenAt };
    const after = { ...record, decisions: { ...record.decisions, cancel: decision } };
    const refund = refundAt(record, writtenAt);
    const until = undoUntil(after);
    const says = [
      `She cancels as of ${moment(writtenAt, record)}. Nothing more is charged.`,
      ...(refund.lines.length > 1 ? [{ sum: refund.lines }] : []),
      ...comesBack(after, refund),
      until ? `Until ${moment(until, record)} it can be taken back.` : '',
    ];
    return { decision, says };
  },
});

/** What the worker refunds automatically, and what the office has to do. */
function comesBack(record: RegistrationRecord, { byCardCents, byCheckCents }: Refund): readonly string[] {
  const from = workedOffFrom(record);
  const when = from ? `after ${moment(from, record)}` : '';
  const card = `${formatCents(byCardCents)} goes back to her card automatically, ${when}.`;
  const check = `${formatCents(byCheckCents)} is owed by check, ${when}: send it then, and record that it was sent.`;
  return [
    byCardCents > 0 ? card : '',
    byCheckCents > 0 ? check : '',
    byCardCents + byCheckCents === 0 ? `Nothing comes back. It is carried out ${when}.` : '',
    record.disputed
      ? 'She disputes a charge: none of it happens before it is recorded that the dispute is over.'
      : '',
  ];
}

/** Undoes a cancellation that is not carried out yet: she wants to attend after all, or it was a mistake. */
export const undoCancel = plannedAct({
  id: 'undo-cancel',
  heading: 'Take back her cancellation',
  sentence: 'Gives her place back to her, for 24 hours after the cancellation was recorded.',
  group: 'cancelling',
  help: ['Takes back her cancellation, for 24 hours after it was recorded: her place is hers again.'],
  confirm: () => 'Take back her cancellation: her place is hers again',
  whyNot: whyNotUndone,
  plan({ record, now, by }) {
    const act = { at: now, by };
    const after = withoutDecision(record, 'cancel', act);
    return {
      says: ['She did not cancel: her place is hers again.', ...balanceThen(after, now)],
      settles: 'undo',
      carryOut: (register) => register.decide(record, 'cancel', { ...act, withdrawn: true }),
    };
  },
});

function whyNotUndone({ record, now }: Standing): string | undefined {
  if (!record.decisions.cancel) return 'She has not cancelled.';
  if (canUndoCancel(record, now)) return undefined;
  if (record.secondOf !== undefined) return 'It is a second payment, which is given back for good.';
  if (record.cancelled)
    return `It was carried out on ${moment(record.cancelled.at, record)}: she can register again.`;
  const until = undoUntil(record);
  if (until && now >= until) return `It could be taken back until ${moment(until, record)}.`;
  return 'The retreat is over.';
}

function balanceThen(record: RegistrationRecord, now: Date): readonly string[] {
  if (owesNothing(record)) return ['Nothing is left to pay.'];
  return [
    `The balance of ${formatCents(balanceOfRecord(record).byCardCents)} is to be paid again.`,
    chargeSentence(record, now),
    'The earlier announcement of the charge no longer counts: a new letter has to reach her first.',
  ];
}
