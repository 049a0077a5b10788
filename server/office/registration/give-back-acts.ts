import { cancel, undoCancel, whyNotCancelled, whyNotUndone } from '#server/acts/cancel-registration.ts';
import { totalOf, whyNotDecided } from '#server/acts/carry-out.ts';
import { disputeOver, whyNotOver } from '#server/acts/dispute-over.ts';
import { refund, refundByCheck, whyNoCheckSent, whyNotGivenBack } from '#server/acts/give-back.ts';
import { day, dayOrTime, dollars, reason } from '#server/acts/given.ts';
import { refundSecond, twoPeople, whyNoSecondRefund } from '#server/acts/second-payment.ts';
import { owedByCheck } from '#server/record/registration-state.ts';
import { formatCents } from '#shared/money.ts';
import { registrationAct } from './registration-act.ts';

/** Acts about cancelling, and about money that goes back. */
export const giveBackActs = [
  registrationAct({
    id: 'cancel',
    heading: 'Cancel her registration',
    sentence:
      'Records that she cancelled in writing: nothing more is charged, and what comes back depends on that moment.',
    group: 'cancelling',
    takes: { written: dayOrTime('Please give') },
    fields: {
      written: {
        label: 'When she wrote',
        hint: 'By the clocks of the retreat. A day alone counts from its first minute.',
        input: 'moment',
      },
    },
    whyNot: ({ record, now }) => whyNotCancelled(record, now),
    run: (context, { record }, given, asked) => cancel(context, record.id, { ...asked, ...given }),
    confirm: (_given, told) => {
      const cents = totalOf(told.says);
      return cents > 0
        ? `Cancel her registration and give back ${formatCents(cents)}`
        : 'Cancel her registration: nothing goes back';
    },
  }),
  registrationAct({
    id: 'undo-cancel',
    heading: 'Take back her cancellation',
    sentence: 'Gives her place back to her, for 24 hours after the cancellation was recorded.',
    group: 'cancelling',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotUndone(record, now),
    run: (context, { record }, _given, asked) => undoCancel(context, record.id, asked),
    confirm: () => 'Take back her cancellation: her place is hers again',
  }),
  registrationAct({
    id: 'refund',
    heading: 'Give something back as an exception',
    sentence: 'Sends an amount back to her card, whatever the policies say; it cannot be taken back.',
    group: 'cancelling',
    takes: {
      dollars: dollars('Please give'),
      reason: reason('Please say why it is given back', 'Please use 200 characters at most'),
    },
    fields: {
      dollars: { label: 'How much', hint: 'In dollars.', input: 'amount' },
      reason: {
        label: 'Why',
        hint: 'It stands with her payment at Stripe, and on this page. 200 characters at most.',
        input: 'line',
      },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'refund', now) ?? whyNotGivenBack(record),
    run: (context, { record }, given, asked) =>
      refund(context, record.id, given.dollars, { ...asked, reason: given.reason }),
    confirm: (given) => `Give ${formatCents(given.dollars)} back to her card`,
  }),
  registrationAct({
    id: 'refund-second',
    heading: 'Give her second payment back',
    sentence: 'Sends all of it back at once, with its card fee; she keeps the place that she paid first.',
    group: 'cancelling',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNoSecondRefund(record, now),
    run: (context, { record }, _given, asked) => refundSecond(context, record.id, asked),
    confirm: (_given, told) => `Give ${formatCents(totalOf(told.says))} back to her`,
  }),
  registrationAct({
    id: 'two-people',
    heading: 'These are two people',
    sentence: 'Records that the second payment is somebody else’s: it goes on as any other registration.',
    group: 'cancelling',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotDecided(record, 'twoPeople', now),
    run: (context, { record }, _given, asked) => twoPeople(context, record.id, asked),
    confirm: () => 'Record that these are two people',
  }),
  registrationAct({
    id: 'refund-by-check',
    heading: 'A check was sent to her',
    sentence: 'Records that the check that was owed to her is on its way.',
    group: 'cancelling',
    takes: { dollars: dollars('Please give'), sent: day('Please give') },
    fields: {
      dollars: {
        label: 'Its amount',
        hint: 'In dollars: just what is owed to her.',
        input: 'amount',
        initial: ({ record }) => (owedByCheck(record) / 100).toFixed(2),
      },
      sent: { label: 'The day on which it was sent', input: 'day' },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'checkSent', now) ?? whyNoCheckSent(record),
    run: (context, { record }, given, asked) =>
      refundByCheck(context, record.id, given.dollars, { ...asked, sent: given.sent }),
    confirm: (given) => `Record that a check of ${formatCents(given.dollars)} was sent`,
  }),
  registrationAct({
    id: 'dispute-over',
    heading: 'The dispute is over',
    sentence: 'Lets money move automatically again, once her bank has decided what she disputed.',
    group: 'cancelling',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotDecided(record, 'disputeOver', now) ?? whyNotOver(record),
    run: (context, { record }, _given, asked) => disputeOver(context, record.id, asked),
    confirm: () => 'Record that the dispute is over',
  }),
];
