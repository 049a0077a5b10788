import { leftToRefund, refundAt } from '#server/record/cancel-plan.ts';
import { isOfHolderBefore } from '#server/record/hand-over.ts';
import { paidBalances } from '#server/record/owed.ts';
import { hasPlace } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owedByCheck, owesNothing } from '#server/record/registration-state.ts';
import { formatCents } from '#shared/money.ts';
import { findRegistrationOf } from './act-context.ts';
import { totalOf, whyNotDecided } from './carry-out.ts';
import { chargeSentence } from './charge-words.ts';
import { day, dollars, reason } from './given.ts';
import { moment } from './plain-words.ts';
import { impossible, wrongUsage } from './refusal.ts';
import { decisionAct, type Standing } from './registration-act.ts';
import { dayEnd, localMoment } from './retreat-dates.ts';

/** Makes the reason why something is not done while she disputes a charge; undefined while she does not. */
const whileDisputed =
  (what: string) =>
  ({ record }: Pick<Standing, 'record'>): string | undefined =>
    record.disputed
      ? `She disputes a charge: ${what} before it is recorded that the dispute is over.`
      : undefined;
const whyNotGivenBack = whileDisputed('nothing is given back');

/** Refunds an amount to her card as an exception, whatever the policy says. */
export const refund = decisionAct({
  id: 'refund',
  heading: 'Give something back as an exception',
  sentence: 'Sends an amount back to her card, whatever the policies say; it cannot be taken back.',
  group: 'cancelling',
  help: [
    'Gives DOLLARS back to her card as an exception, from the balance first, never more than is left of what it paid.',
    'TEXT stands with her deposit at Stripe. What has gone back cannot be taken back.',
  ],
  fields: {
    dollars: { takes: dollars, label: 'How much', hint: 'In dollars.', input: 'amount', argument: 'DOLLARS' },
    reason: {
      takes: reason,
      label: 'Why',
      hint: 'It stands with her payment at Stripe, and on this page. 200 characters at most.',
      argument: '--reason TEXT',
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
    const ofBalance = Math.min(cents, left.balance);
    const lines = [
      { words: `of the balance, of which ${formatCents(left.balance)} is left`, cents: ofBalance },
      { words: `of the deposit, of which ${formatCents(left.deposit)} is left`, cents: cents - ofBalance },
    ];
    const says = [
      `${formatCents(cents)} goes back to her card as soon as the site gets to it, as an exception.`,
      { sum: lines.filter((line) => line.cents > 0) },
      ...(['balance', 'deposit'] as const).map((of, index) =>
        paymentsFor(of, record).some((payment) => isOfHolderBefore(record, { payment })) &&
        (lines[index]?.cents ?? 0) > 0
          ? `The ${of} was paid by ${record.namesBefore}, whose card gets it; no letter says so: please tell her.`
          : '',
      ),
      owesNothing(record) ? '' : chargeSentence(withRefund(record, cents - ofBalance), act.at),
      'What has gone back cannot be taken back.',
    ];
    return { decision: { ...act, cents, reason: why }, says };
  },
});

function paymentsFor(of: 'deposit' | 'balance', record: RegistrationRecord): readonly string[] {
  return of === 'deposit' ? [record.id] : paidBalances(record).map(({ id }) => id);
}

/** The registration as it would be after a refund of this amount of the deposit. */
function withRefund(record: RegistrationRecord, cents: number): RegistrationRecord {
  const made = { id: '', payment: record.id, cents, at: new Date() };
  const refund = { ...made, of: 'deposit', status: 'pending' } as const;
  return { ...record, refunds: [...record.refunds, refund] };
}

/** Records that the office sent her, on a given day, the check that it owed her. */
export const refundByCheck = decisionAct({
  id: 'refund-by-check',
  heading: 'A check was sent to her',
  sentence: 'Records that the check that was owed to her is on its way.',
  group: 'cancelling',
  help: [
    'Records that a check of DOLLARS was sent to her on DATE: just what was owed to her by check, as `show` tells it.',
  ],
  fields: {
    dollars: {
      takes: dollars,
      label: 'Its amount',
      hint: 'In dollars: just what is owed to her.',
      input: 'amount',
      initial: ({ record }) => (owedByCheck(record) / 100).toFixed(2),
      argument: 'DOLLARS',
    },
    sent: { takes: day, label: 'The day on which it was sent', input: 'day', argument: '--sent DATE' },
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

const refundWhole = decisionAct({
  id: 'refund-second',
  heading: 'Give her second payment back',
  sentence: 'Sends all of it back at once, with any card fee; she keeps the place that she paid first.',
  group: 'cancelling',
  help: [
    'Gives all of a second payment back at once, with any card fee: the same person had paid for her place before, and',
    'keeps it.',
  ],
  confirm: (_given, told) => `Give ${formatCents(totalOf(told.says))} back to her`,
  decides: 'cancel',
  whyNot: whyNoSecondRefund,
  async plan(record, act, _given, context) {
    if (!hasPlace(await findRegistrationOf(context, record.secondOf ?? '')))
      throw impossible(
        'She has cancelled or lost the place that she paid first: it may be this one that she wants to keep. Ask her.',
      );
    const { byCardCents, byCheckCents, lines } = refundAt(record, act.at);
    const says = [
      `She had paid for her place before, by ${record.secondOf}, and keeps it.`,
      { sum: lines },
      byCardCents > 0
        ? `${formatCents(byCardCents)} goes back to her card as soon as the site gets to it.`
        : '',
      byCheckCents > 0
        ? `${formatCents(byCheckCents)} is owed by check: send it, and record that it was sent.`
        : '',
      'It cannot be taken back.',
    ];
    // The press that confirms it has to lead to the same decision as the one that described it.
    return { decision: { ...act, writtenAt: record.paidAt ?? record.begunAt }, says };
  },
});

/** Gives all of a second payment back, with any card fee and at once; the person keeps the place that she paid first. */
export const refundSecond = { ...refundWhole, whyNot: whyNoSecondRefund };

function whyNoSecondRefund({ record, now }: Standing): string | undefined {
  return whyNotDecided(record, 'twoPeople', now) ?? whyNotGivenBack({ record });
}

/** Records that what looks like a second payment is somebody else's: it goes on as any other registration. */
export const twoPeople = decisionAct({
  id: 'two-people',
  heading: 'These are two people',
  sentence: 'Records that the second payment is somebody else’s: it goes on as any other registration.',
  group: 'cancelling',
  help: [
    'Records that what looks like a second payment is somebody else’s, with the same name and address: it goes on as any',
    'other registration.',
  ],
  confirm: () => 'Record that these are two people',
  decides: 'twoPeople',
  plan(record, act) {
    const { secondOf, ...alone } = record;
    const says = [
      `This is somebody else than who paid ${secondOf}: the place is hers, and the welcome is sent to her.`,
      chargeSentence(alone, act.at),
    ];
    return { decision: act, says };
  },
});
