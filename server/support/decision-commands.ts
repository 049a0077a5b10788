import * as v from 'valibot';
import { cancel, undoCancel } from '#server/acts/cancel-registration.ts';
import { charge } from '#server/acts/charge-registration.ts';
import { payByCheck, postpone, waive, withdraw } from '#server/acts/decide-registration.ts';
import { disputeOver } from '#server/acts/dispute-over.ts';
import { refund, refundByCheck } from '#server/acts/give-back.ts';
import {
  day,
  dayOrTime,
  howAgreed,
  paymentNumber,
  planParts,
  reason,
  wayBesideCard,
} from '#server/acts/given.ts';
import { agreeToPlan, planPayments } from '#server/acts/payment-plan.ts';
import { receive, takeBack } from '#server/acts/receive-payment.ts';
import { refundSecond, twoPeople } from '#server/acts/second-payment.ts';
import { REASON_LENGTH } from '#server/record/decisions.ts';
import { command, flag } from './command.ts';
import { act, DATE, DOLLARS, PAYMENT_INTENT } from './command-words.ts';

const DECISION = v.picklist(
  ['waived', 'check', 'postponed', 'plan', 'checkSent', 'refund', 'twoPeople', 'handOver'],
  'DECISION is one of waived, check, postponed, plan, checkSent, refund, twoPeople and handOver',
);
const REDUCTION = v.picklist(['scholarship', 'reduction'], '--as is scholarship or reduction');
const REASON = reason('--reason TEXT must say why it is given back', '--reason takes 200 characters at most');

/** The office's decisions about a registration's money. */
export const decisionCommands = [
  command({
    name: 'cancel',
    words: { PAYMENT_INTENT },
    options: { ...act, written: dayOrTime('--written needs') },
    shownOptions: '--written DATE --by NAME [--dry-run]',
    help: [
      'Records that she cancelled in writing, on DATE in the time zone of the retreat: nothing more is charged, and what',
      'comes back depends on DATE. A day counts from its first minute; a time can be added, such as 2027-03-08T17:30. The',
      'worker gives it back automatically 25 hours later.',
    ],
    run: (given) => (context) => cancel(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'undo-cancel',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Takes back her cancellation, for 24 hours after it was recorded: her place is hers again.'],
    run: (given) => (context) => undoCancel(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'refund',
    words: { PAYMENT_INTENT, DOLLARS },
    options: { ...act, reason: REASON },
    shownOptions: '--reason TEXT --by NAME [--dry-run]',
    help: [
      'Gives DOLLARS back to her card as an exception, from the balance first, never more than is left of what it paid.',
      'TEXT stands with her deposit at Stripe. What has gone back cannot be taken back.',
    ],
    run: (given) => (context) => refund(context, given.PAYMENT_INTENT, given.DOLLARS, given),
  }),
  command({
    name: 'refund-second',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Gives all of a second payment back at once, with its card fee: the same person had paid for her place before, and',
      'keeps it.',
    ],
    run: (given) => (context) => refundSecond(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'two-people',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records that what looks like a second payment is somebody else’s, with the same name and address: it goes on as any',
      'other registration.',
    ],
    run: (given) => (context) => twoPeople(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'refund-by-check',
    words: { PAYMENT_INTENT, DOLLARS },
    options: { ...act, sent: day('--sent needs') },
    shownOptions: '--sent DATE --by NAME [--dry-run]',
    help: [
      'Records that a check of DOLLARS was sent to her on DATE: just what was owed to her by check, as `show` tells it.',
    ],
    run: (given) => (context) => refundByCheck(context, given.PAYMENT_INTENT, given.DOLLARS, given),
  }),
  command({
    name: 'dispute-over',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records that what she disputed is decided: money moves automatically again. Never before her bank has decided.',
    ],
    run: (given) => (context) => disputeOver(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'pay-by-check',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that she pays what is left by check or transfer, so that her card is not charged.'],
    run: (given) => (context) => payByCheck(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'received',
    words: { PAYMENT_INTENT, DOLLARS },
    options: {
      ...act,
      on: dayOrTime('--on needs'),
      way: v.optional(wayBesideCard('--way is check or transfer'), 'check'),
      number: paymentNumber('--number takes 20 characters at most'),
    },
    shownOptions: '--on DATE [--way transfer] [--number TEXT] --by NAME [--dry-run]',
    help: [
      'Records that a check or a transfer of DOLLARS came on DATE. It may be a part of what is left to pay; what is more',
      'is to be sent back to her.',
    ],
    run:
      ({ PAYMENT_INTENT: id, DOLLARS: cents, ...given }) =>
      (context) =>
        receive(context, id, { cents, ...given }, given),
  }),
  command({
    name: 'take-back',
    words: { PAYMENT_INTENT, PAYMENT: v.string() },
    options: { ...act, why: v.picklist(['bounced', 'mistake'], '--why is bounced or mistake') },
    shownOptions: '--why bounced|mistake --by NAME [--dry-run]',
    help: [
      'Records that a check or a transfer no longer counts: PAYMENT is its name, such as payment-1, as `show` tells it.',
    ],
    run: (given) => (context) => takeBack(context, given.PAYMENT_INTENT, given.PAYMENT, given.why, given),
  }),
  command({
    name: 'waive',
    words: { PAYMENT_INTENT, DOLLARS },
    options: {
      ...act,
      as: v.optional(REDUCTION, 'reduction'),
      reason: v.optional(
        v.pipe(v.string(), v.maxLength(REASON_LENGTH, '--reason takes 200 characters at most')),
        '',
      ),
    },
    shownOptions: '[--as scholarship] [--reason TEXT] --by NAME [--dry-run]',
    help: [
      'Records that DOLLARS of the tuition are not asked of her, of the balance first, then of the deposit. A letter tells',
      'her, without the reason; what she has paid beyond the rest is to be given back.',
    ],
    run:
      ({ PAYMENT_INTENT: id, DOLLARS: cents, ...given }) =>
      (context) =>
        waive(context, id, { cents, ...given }, given),
  }),
  command({
    name: 'postpone',
    words: { PAYMENT_INTENT, DATE },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that the balance is due on DATE instead.'],
    run: (given) => (context) => postpone(context, given.PAYMENT_INTENT, given.DATE, given),
  }),
  command({
    name: 'plan',
    words: { PAYMENT_INTENT },
    options: { ...act, parts: planParts('--parts needs'), paused: flag },
    shownOptions: '--parts LIST [--paused] --by NAME [--dry-run]',
    help: [
      'Lets her pay what is left in two to four parts, or changes them: LIST has for each part that is not paid its day, and',
      'its sum without the card fee unless the rest is divided equally, such as "2027-03-08 200, 2027-04-08". No part is',
      'charged before she has agreed, or while the plan is paused. `withdraw PAYMENT_INTENT plan` ends it.',
    ],
    run: (given) => (context) => planPayments(context, given.PAYMENT_INTENT, given, given),
  }),
  command({
    name: 'plan-agreed',
    words: { PAYMENT_INTENT },
    options: {
      ...act,
      agreed: howAgreed('--agreed is phone or writing'),
      'agreed-on': day('--agreed-on needs'),
    },
    shownOptions: '--agreed phone|writing --agreed-on DATE --by NAME [--dry-run]',
    help: [
      'Records that she agreed to her payment plan on the phone or in writing; on her page she does so herself.',
    ],
    run: (given) => (context) =>
      agreeToPlan(context, given.PAYMENT_INTENT, { how: given.agreed, on: given['agreed-on'] }, given),
  }),
  command({
    name: 'withdraw',
    words: { PAYMENT_INTENT, DECISION },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records that a decision no longer holds: DECISION is waived, check, postponed, plan, checkSent, twoPeople,',
      'handOver until the place is accepted, or refund as far as it has not gone back.',
    ],
    run: (given) => (context) => withdraw(context, given.PAYMENT_INTENT, given.DECISION, given),
  }),
  command({
    name: 'charge',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Has the worker try her card again now, also before the day that was planned after a decline; never without her',
      'consent and a notice, or where the card was refused for good.',
    ],
    run: (given) => (context) => charge(context, given.PAYMENT_INTENT, given),
  }),
];
