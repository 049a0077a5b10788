import { onSale } from './editions.ts';
import { at, type Deed, day, type Life, office } from './life.ts';

const HOUR_MS = 60 * 60 * 1000;
const { notice, reminder, charge, refundsEnd } = onSale.moments;

const cancel = (when: number): Deed => ({ does: 'cancel', at: when });
/** Both happen on the same day, so the clock has to stop at both. */
const cancelAndUndo = (when: number, afterMs: number): Deed[] => [
  { does: 'cancel', at: when, stops: true },
  { does: 'undo', at: when + afterMs, stops: true },
];
const between = (from: number, until: number, chance: number) => from + (until - from) * chance;
const payBefore = (card: 'other' | 'pendingRefund' | 'failingRefund'): Deed => ({
  ...{ does: 'pay-now', at: at(notice, 1) },
  card,
});

/** Some hours after the charge, when the balance is still refunded on cancelling. */
const EVENING = charge + 3 * HOUR_MS;
/** The confirmation to her, the copy to the office, and the result a day later. */
const CANCELLED = 'received office-cancel cancelled';
const UNDONE = 'received office-cancel undone office-undone';
const CHARGED = { phase: 'early', ending: 'charged', tries: 1 } as const;
const PAYS = { phase: 'early', ending: 'pays', tries: 0 } as const;
const UNPAID = { phase: 'early', ending: 'cancelled', tries: 0 } as const;

/** The lives of registrants who cancel, take it back, or get a refund. Sums are literals. */
export const cancellingLives = {
  'cancels-at-once': {
    ...UNPAID,
    ...{ share: 2, letters: CANCELLED, maybe: 'notice' },
    deeds: ({ beganAt }) => [cancel(at(beganAt, 0.2))],
  },
  'cancels-told': {
    ...UNPAID,
    ...{ share: 2, letters: `notice ${CANCELLED}` },
    deeds: ({ chance }) => [cancel(between(at(notice, 0.5), at(reminder, -1.5), chance))],
  },
  'cancels-reminded': {
    ...UNPAID,
    ...{ share: 2, letters: `notice reminder ${CANCELLED}` },
    deeds: ({ chance }) => [cancel(between(at(reminder, 0.3), at(charge, -1.2), chance))],
  },
  'cancels-comes': {
    ...CHARGED,
    ...{ share: 2, letters: `notice ${UNDONE} notice reminder paid` },
    deeds: () => cancelAndUndo(at(notice, 2), 9 * HOUR_MS),
  },
  // Too late for a new notice of the charge.
  'cancels-comes-late': {
    ...{ share: 1, letters: `notice ${UNDONE} please-pay`, phase: 'early', ending: 'unpaid', tries: 0 },
    deeds: () => cancelAndUndo(at(charge, -3.2), 14 * HOUR_MS),
  },
  'pays-cancels': {
    ...PAYS,
    ...{ share: 3, letters: `notice paid ${CANCELLED}`, back: 70_000 },
    deeds: ({ chance }) => [payBefore('other'), cancel(between(at(notice, 3.5), at(notice, 6), chance))],
  },
  'charged-cancels': {
    ...CHARGED,
    ...{ share: 3, letters: `notice reminder ${CANCELLED}`, maybe: 'paid', back: 70_000 },
    deeds: () => [{ does: 'cancel', at: EVENING, stops: true }],
  },
  'charged-cancels-comes': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder undone office-undone paid', maybe: 'received office-cancel' },
    deeds: () => cancelAndUndo(EVENING, 9 * HOUR_MS),
  },
  'cancels-at-charge': {
    ...{ share: 2, letters: `notice reminder ${CANCELLED}`, maybe: 'paid' },
    ...{ phase: 'early', ending: 'charged-or-cancelled', back: 'by-moment' },
    deeds: () => [cancel(charge)],
  },
  // She presses within the last minute, or just after it.
  'cancels-at-deadline': {
    ...CHARGED,
    ...{ share: 1, letters: `notice reminder ${CANCELLED}`, maybe: 'paid', back: 'by-moment' },
    deeds: () => [{ does: 'cancel', at: refundsEnd - 30_000, stops: true }],
  },
  'cancels-past-deadline': {
    ...CHARGED,
    ...{ share: 1, letters: `notice reminder ${CANCELLED}`, maybe: 'paid' },
    deeds: () => [cancel(refundsEnd)],
  },
  'wrote-in-last-minute': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid received cancelled', back: 70_000 },
    deeds: () => [office(at(charge, 2), 'cancel', '--written', `${day(charge, 0)}T23:59`)],
  },
  'wrote-a-minute-late': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid received cancelled' },
    deeds: () => [office(at(charge, 2), 'cancel', '--written', `${day(charge, 1)}T00:00`)],
  },
  'office-undoes': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice received undone notice reminder paid' },
    deeds: () => [
      { ...office(at(notice, 2), 'cancel', '--written', day(notice, 1)), stops: true },
      { ...office(at(notice, 2) + 9 * HOUR_MS, 'undo-cancel'), stops: true },
    ],
  },
  'check-cancels': {
    ...{ share: 1, letters: `notice paid ${CANCELLED} refund-made` },
    ...{ phase: 'early', ending: 'check', tries: 0, checkBack: 70_000 },
    deeds: () => [
      office(at(notice, 1), 'pay-by-check'),
      office(at(notice, 3), 'pay-by-check', '--received', day(notice, 2)),
      cancel(at(notice, 4)),
      office(at(notice, 8), 'refund-by-check', '700', '--sent', day(notice, 7)),
    ],
  },
  'given-some-back': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid refund-made', back: 5_000 },
    deeds: () => [office(at(charge, 4), 'refund', '50', '--reason', 'The sound failed')],
  },
  'given-some-back-cancels': {
    ...PAYS,
    ...{ share: 1, letters: `notice paid refund-made ${CANCELLED}`, back: 70_000 },
    deeds: () => [
      payBefore('other'),
      office(at(notice, 3), 'refund', '100', '--reason', 'A friend came too'),
      cancel(at(notice, 5)),
    ],
  },
  'waived-cancels': {
    ...CHARGED,
    ...{ share: 1, letters: `notice reminder ${CANCELLED}`, maybe: 'paid', cents: 51_875, back: 50_000 },
    deeds: () => [
      { ...office(at(notice, -0.3), 'waive', '200'), stops: true },
      { does: 'cancel', at: EVENING, stops: true },
    ],
  },
  'refund-waits': {
    ...PAYS,
    ...{ share: 1, letters: `notice paid ${CANCELLED}`, back: 70_000 },
    deeds: () => [
      payBefore('pendingRefund'),
      cancel(at(notice, 4)),
      { does: 'settle-refunds', at: at(notice, 8) },
    ],
  },
  'refund-fails': {
    ...PAYS,
    ...{ share: 1, letters: `notice paid ${CANCELLED} refund-failed refund-made`, back: 70_000 },
    deeds: () => [
      payBefore('failingRefund'),
      cancel(at(notice, 4)),
      { does: 'settle-refunds', at: at(notice, 8) },
      office(at(charge, 2), 'refund-by-check', '700', '--sent', day(charge, 1)),
    ],
  },
  'cancels-disputes': {
    ...PAYS,
    ...{ share: 1, letters: 'notice paid received office-cancel' },
    deeds: () => [
      payBefore('other'),
      { does: 'cancel', at: at(notice, 4), stops: true },
      { does: 'dispute', at: at(notice, 4) + 12 * HOUR_MS, stops: true },
    ],
  },
} satisfies Record<string, Life>;
