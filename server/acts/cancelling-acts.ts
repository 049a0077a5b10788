import { lastAct } from '#server/registration/acts.ts';
import { afterDecision, afterWithdrawal } from '#server/registration/after-act.ts';
import { nextInstallment, owedByCheck, owesNothing } from '#server/registration/balance.ts';
import {
  canUndoCancel,
  leftToRefund,
  refundAt,
  refundStop,
  undoUntil,
  workedOffFrom,
} from '#server/registration/cancelling.ts';
import { isOfHolderBefore } from '#server/registration/hand-over.ts';
import { sumOfCents, sumOfFees } from '#server/registration/ledger.ts';
import type { DisputeOnRecord, RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasPlace } from '#server/registration/registration-state.ts';
import type { Refund } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { findRegistrationOf, impossible, totalOf, wrongUsage } from './act.ts';
import { decide } from './decide.ts';
import { day, dayOrTime, dollars, reason } from './given.ts';
import {
  dayEnd,
  decisionAct,
  localMoment,
  plannedAct,
  type Standing,
  writtenMoment,
} from './registration-act.ts';
import { chargeSentence, moment } from './words.ts';

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
  fields: {
    written: {
      takes: dayOrTime,
      label: 'When she wrote',
      hint: 'By the clocks of the retreat. A day alone counts from its first minute.',
      input: 'moment',
    },
  },
  confirm(_given, told) {
    const cents = totalOf(told.says);
    return cents > 0
      ? `Cancel her registration and give back ${formatCents(cents)}`
      : 'Cancel her registration: nothing goes back';
  },
  decides: 'cancel',
  plan(record, act, given) {
    const writtenAt = writtenMoment(record, given.written, act.at);
    const decision = { ...act, writtenAt };
    const after = afterDecision(record, 'cancel', decision);
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

export const undoCancel = plannedAct({
  id: 'undo-cancel',
  heading: 'Take back her cancellation',
  sentence: 'Gives her place back to her, for 24 hours after the cancellation was recorded.',
  group: 'cancelling',
  confirm: () => 'Take back her cancellation: her place is hers again',
  whyNot({ record, now }) {
    if (!record.decisions.cancel) return 'She has not cancelled.';
    if (canUndoCancel(record, now)) return undefined;
    if (record.decisions.cancel.whole) return 'All of it was given back, and for good.';
    if (record.cancelled)
      return `It was carried out on ${moment(record.cancelled.at, record)}: she can register again.`;
    const until = undoUntil(record);
    if (until && now >= until) return `It could be taken back until ${moment(until, record)}.`;
    return 'The retreat is over.';
  },
  plan({ record, now, by }) {
    const act = { at: now, by };
    const after = afterWithdrawal(record, 'cancel', act);
    return {
      says: ['She did not cancel: her place is hers again.', ...balanceThen(after, now)],
      settles: 'undo',
      carryOut: (payments) => payments.ask(decide, record, 'cancel', { ...act, withdrawn: true }),
    };
  },
});

function balanceThen(record: RegistrationRecord, now: Date): readonly string[] {
  if (owesNothing(record)) return ['Nothing is left to pay.'];
  return [
    `The balance of ${formatCents(nextInstallment(record).left.byCardCents)} is to be paid again.`,
    chargeSentence(record, now),
    'The earlier announcement of the charge no longer counts: a new message has to reach her first.',
  ];
}

/** Makes the reason why something is not done while she disputes a charge; undefined while she does not. */
const whileDisputed =
  (what: string) =>
  ({ record }: Pick<Standing, 'record'>): string | undefined =>
    record.disputed
      ? `She disputes a charge: ${what} before it is recorded that the dispute is over.`
      : undefined;
const whyNotGivenBack = whileDisputed('nothing is given back');

export const refund = decisionAct({
  id: 'refund',
  heading: 'Give something back as an exception',
  sentence: 'Sends an amount back to her card, whatever the policies say; it cannot be taken back.',
  group: 'cancelling',
  fields: {
    dollars: { takes: dollars, label: 'How much', hint: 'In dollars.', input: 'amount' },
    reason: {
      takes: reason,
      label: 'Why',
      hint: 'It stands with her payment at Stripe, and on this page. 200 characters at most.',
    },
  },
  confirm: (given) => `Give ${formatCents(given.dollars)} back to her card`,
  decides: 'refund',
  whyNot: whyNotGivenBack,
  plan(record, act, given) {
    const { dollars: cents, reason: why } = given;
    const left = leftToRefund(record);
    if (cents === 0) throw wrongUsage('The amount must be more than $0');
    if (cents > left.balance + left.deposit) {
      const most = formatCents(left.balance + left.deposit);
      throw impossible(`No more than ${most} of what her card paid is left to give back.`);
    }
    const decision = { ...act, cents, reason: why };
    const after = afterDecision(record, 'refund', decision);
    const ordered = after.payouts.filter(({ orderedBy }) => orderedBy === lastAct(after.acts, 'refund')?.id);
    const parts = (['balance', 'deposit'] as const).map((of) => {
      const own = ordered.filter(
        ({ payment }) => (payment === record.depositPayment?.id) === (of === 'deposit'),
      );
      return { of, own, cents: sumOfCents(own) + sumOfFees(own) };
    });
    const lines = parts.map((part) => ({
      words: `of the ${part.of}, of which ${formatCents(left[part.of])} is left`,
      cents: part.cents,
    }));
    const says = [
      `${formatCents(cents)} goes back to her card as soon as the site gets to it, as an exception.`,
      { sum: lines.filter((line) => line.cents > 0) },
      ...parts.map(({ of, own }) =>
        own.some(({ payment }) => payment !== null && isOfHolderBefore(record, { payment }))
          ? `The ${of} was paid by ${record.namesBefore}, whose card gets it; no message says so: please tell her.`
          : '',
      ),
      owesNothing(record) ? '' : chargeSentence(after, act.at),
      'What has gone back cannot be taken back.',
    ];
    return { decision, says };
  },
});

export const refundByCheck = decisionAct({
  id: 'refund-by-check',
  heading: 'A check was sent to her',
  sentence: 'Records that the check that was owed to her is on its way.',
  group: 'cancelling',
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
  confirm: (given) => `Record that a check of ${formatCents(given.dollars)} was sent`,
  decides: 'checkSent',
  whyNot: whileDisputed('nothing is owed by check'),
  plan(record, act, { dollars: cents, sent }) {
    const owed = owedByCheck(record);
    if (cents !== owed)
      throw impossible(`${formatCents(owed)} is owed to her by check, not ${formatCents(cents)}.`);
    const sentAt = localMoment(record, sent);
    if (sentAt > act.at) throw impossible('A check cannot have been sent in the future.');
    const since = record.cancelled?.at ?? record.decisions.refund?.at;
    if (since && dayEnd(record, sent) <= since)
      throw impossible(`It was not owed before ${moment(since, record)}.`);
    const says = [
      `Her check of ${formatCents(cents)} was sent on ${sent}. Nothing more is owed to her.`,
      'It can be withdrawn, should it be a slip.',
    ];
    return { decision: { ...act, cents, sentAt }, says };
  },
});

export const cancelWhole = decisionAct({
  id: 'cancel-whole',
  heading: 'Give all of it back: she has paid twice',
  sentence:
    'Cancels this one of two places and sends all of it back at once, with any card fee; she keeps the other.',
  group: 'cancelling',
  confirm: (_given, told) => `Give ${formatCents(totalOf(told.says))} back to her`,
  decides: 'cancel',
  whyNot: whyNotWhole,
  async plan(record, act, _given, context) {
    const { other = '' } = record.paidTwice ?? {};
    if (!hasPlace(await findRegistrationOf(context, other)))
      throw impossible(
        `She has cancelled or lost her other place, ${other}: it may be this one that she wants to keep. Ask her.`,
      );
    // The press that confirms it has to lead to the same decision as the one that described it.
    const writtenAt = record.paidAt ?? record.begunAt;
    const decision = { ...act, writtenAt, whole: true } as const;
    const after = afterDecision(record, 'cancel', decision);
    const { byCardCents, byCheckCents, lines } = refundAt(after, writtenAt);
    const says = [
      `She has paid for another place, by ${other}, and keeps it.`,
      { sum: lines },
      byCardCents > 0
        ? `${formatCents(byCardCents)} goes back to her card as soon as the site gets to it.`
        : '',
      byCheckCents > 0
        ? `${formatCents(byCheckCents)} is owed by check: send it, and record that it was sent.`
        : '',
      'It cannot be taken back.',
    ];
    return { decision, says };
  },
});

function whyNotWhole({ record }: Pick<Standing, 'record'>): string | undefined {
  return record.paidTwice ? whyNotGivenBack({ record }) : NOT_TWICE;
}

const NOT_TWICE = 'Nobody else with this name and address has a place.';

export const twoPeople = decisionAct({
  id: 'two-people',
  heading: 'These are two people',
  sentence: 'Records that who has the other place under this name and address is somebody else.',
  group: 'cancelling',
  confirm: () => 'Record that these are two people',
  decides: 'twoPeople',
  plan(record, act) {
    const { paidTwice, ...alone } = record;
    const says = [
      `This is somebody else than who has the place ${paidTwice?.other}.`,
      owesNothing(alone) ? '' : chargeSentence(alone, act.at),
      'It cannot be taken back.',
    ];
    return { decision: act, says };
  },
});

/**
 * Records that the disputes of her charges are over: charges and refunds are automatic again. A charge at Stripe is
 * marked as disputed for ever, so a person has to decide this; whether her bank has decided, only Stripe knows.
 */
export const disputeOver = decisionAct({
  id: 'dispute-over',
  heading: 'The dispute is over',
  sentence: 'Lets money move automatically again, once her bank has decided what she disputed.',
  group: 'cancelling',
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
    const decision = {
      ...act,
      charges: [...new Set(charges)],
      disputes: disputes.map((one) => one.id),
    };
    const after = { ...afterDecision(record, 'disputeOver', decision), disputed: false };
    const says = [...disputes.map((one) => `${disputeWords(one, record)}.`), ...movesAgain(after, act.at)];
    return { decision, says };
  },
});

/** One dispute in words, such as `The deposit: $721 disputed on … as fraudulent, lost (du_1)`. */
function disputeWords(
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
