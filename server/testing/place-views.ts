import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type {
  CancelledStanding,
  CancellingStanding,
  PlacePayment,
  PlaceRefund,
  PlaceRefundLine,
  PlaceView,
} from '#shared/content/place-view.ts';
import type { OfficeContact } from '#shared/page.ts';
import type { DeclineReason } from '#shared/place.ts';

export const testOffice: OfficeContact = {
  officeEmail: 'retreats@office.example',
  officePhone: '+1 (555) 010-0199',
  officeFax: null,
  officePostalAddress: '1 Example Street, Sampletown, CA 95060',
  officeLegalName: 'Sample Retreats LLC',
};

const dueAt = new Date('2025-12-21T17:00:00-08:00');
const cents = edition.facts.prices.balanceCents;

const deposit: PlacePayment = {
  what: 'deposit',
  by: 'card',
  cents: 72_100,
  feeCents: 2_600,
  paidAt: new Date('2025-12-01T09:30:00-08:00'),
  reference: 'pi_3QWilmaDeposit000000',
};
export const paidBalance: PlacePayment = {
  what: 'balance',
  by: 'card',
  cents,
  feeCents: 2_625,
  paidAt: dueAt,
  reference: 'pi_3QWilmaBalance000000',
};

const checkBalance: PlacePayment = {
  what: 'balance',
  by: 'check',
  cents: 70_000,
  feeCents: 0,
  paidAt: new Date('2025-12-15T12:00:00-08:00'),
};

const line = (
  of: PlaceRefundLine['of'],
  paidCents: number,
  cents: number,
  afterCancelling = false,
): PlaceRefundLine => ({ of, paidCents, cents, afterCancelling });
const depositLine = line('deposit', 72_100, 0);
const visa = { brand: 'visa', last4: '4242' };

/** What she gets back if she cancels: before the balance is paid, in time, too late, after a check, after a charge in a race. */
const unpaidOffer: PlaceRefund = {
  cents: 0,
  by: 'card',
  lines: [depositLine, line('open-balance', 0, 0)],
};
export const paidOffer: PlaceRefund = {
  ...{ cents: 70_000, by: 'card', card: visa },
  lines: [depositLine, line('balance', 70_000, 70_000), line('fee', 2_625, 0)],
};
const lateOffer: PlaceRefund = {
  ...{ cents: 0, by: 'card', card: visa },
  lines: [depositLine, line('balance', 70_000, 0), line('fee', 2_625, 0)],
};
const checkOffer: PlaceRefund = {
  ...{ cents: 70_000, by: 'check' },
  lines: [depositLine, line('balance', 70_000, 70_000)],
};
const raceOffer: PlaceRefund = {
  ...{ cents: 72_625, by: 'card', card: visa },
  lines: [depositLine, line('balance', 70_000, 70_000, true), line('fee', 2_625, 2_625, true)],
};
const repaidAt = new Date('2025-12-23T01:00:00-08:00');

const expired = { expMonth: 11, expYear: 2025, expired: true, expiresBeforeDue: true };
const welcome: PlaceView['letters'][number] = {
  ...{ kind: 'welcome', state: 'sent', again: true },
  subject: 'Welcome to The Doorway Retreat: your receipt and the schedule',
};
const notice: PlaceView['letters'][number] = {
  ...{ kind: 'balance-notice', state: 'waiting', again: false },
  subject: 'On December 21 your card is charged $726.25',
};

/** The page of a registrant whose balance is charged in three weeks, with changes. */
export function testView(changes: Partial<PlaceView> = {}): PlaceView {
  return {
    edition,
    now: new Date('2025-12-02T10:00:00-08:00'),
    mayAct: true,
    token: 'token-against-forgery',
    registrant: {
      firstName: 'Wilma',
      lastName: 'O’Hara',
      email: 'wilma@example.org',
      maskedPhone: '+1 (555) •••-••••',
      timeZone: 'Europe/Berlin',
    },
    standing: { kind: 'charged-later', cents, dueAt, wasPostponed: false },
    disputed: false,
    payments: [deposit],
    waivedCents: 0,
    repayments: [],
    offer: unpaidOffer,
    card: { ...visa, expMonth: 8, expYear: 2027, expired: false, expiresBeforeDue: false },
    secondFactor: 'postal-code',
    letters: [welcome, notice],
    termsPath: '/terms/january-2026-2025-10',
    ...changes,
  };
}

const later = { now: new Date('2025-12-22T10:00:00-08:00') };
const inRetreat = { now: new Date('2026-01-22T09:00:00-08:00') };
const afterwards = { now: new Date('2026-02-01T10:00:00-08:00') };
const settled = { standing: { kind: 'settled' }, payments: [deposit, paidBalance] } as const;
const failed = (reason: DeclineReason): PlaceView => ({
  ...testView(later),
  standing: { kind: 'action-needed', cents, reason },
});
const withoutOffer = (changes: Partial<PlaceView>): PlaceView => {
  const { card: _, offer: __, ...view } = testView(changes);
  return view;
};
const cancelledAt = new Date('2025-12-21T23:58:00-08:00');
const onPage = { at: cancelledAt, onPage: true };
const byOffice = { at: new Date('2025-12-18T12:00:00-08:00'), onPage: false };
/** Both payments were made, and the cancellation is waiting to be carried out, or is carried out. */
const cancelled = (standing: CancellingStanding | CancelledStanding, changes: Partial<PlaceView> = {}) =>
  withoutOffer({ ...later, payments: [deposit, paidBalance], ...changes, standing });
const workedOff = (standing: Pick<CancelledStanding, 'state'> & Partial<CancelledStanding>) =>
  ({ kind: 'cancelled', cancelled: onPage, cents: 70_000, refund: paidOffer, ...standing }) as const;
const withoutCard = (changes: Partial<PlaceView>): PlaceView => {
  const { card: _, ...view } = testView(changes);
  return view;
};
const undoUntil = new Date('2025-12-22T23:58:00-08:00');

/** Her page in each of its states, by name. */
export const testViews: Readonly<Record<string, PlaceView>> = {
  'charged-later': testView(),
  'charged-later-postponed': testView({
    standing: {
      kind: 'charged-later',
      cents,
      dueAt: new Date('2026-01-05T17:00:00-08:00'),
      wasPostponed: true,
    },
  }),
  'charged-later-card-expires': testView({
    card: { ...expired, brand: 'mastercard', last4: '4444' },
  }),
  'charged-later-view-only': testView({ mayAct: false }),
  'to-pay': testView({ standing: { kind: 'to-pay', cents, payBy: new Date('2026-01-15T17:00:00-08:00') } }),
  'to-pay-began': testView({
    now: dueAt,
    standing: {
      kind: 'to-pay',
      cents,
      payBy: dueAt,
      chargedAt: new Date('2025-12-21T17:30:00-08:00'),
    },
  }),
  'by-check': withoutCard({
    standing: { kind: 'by-check', cents: 70_000, payBy: new Date('2026-01-15T17:00:00-08:00') },
  }),
  'being-charged': testView({ now: dueAt, standing: { kind: 'being-charged', cents } }),
  retrying: testView({
    ...later,
    standing: {
      kind: 'retrying',
      cents,
      reason: 'insufficient-funds',
      nextAt: new Date('2025-12-24T17:00:00-08:00'),
    },
    letters: [
      welcome,
      { kind: 'balance-failed', subject: 'Your card could not be charged', state: 'failed', again: true },
    ],
  }),
  'action-needed-authentication': failed('authentication'),
  'action-needed-expired': {
    ...failed('expired'),
    card: { ...expired, brand: 'visa', last4: '0069' },
  },
  'action-needed-blocked': failed('card-blocked'),
  'action-needed-declined': failed('declined'),
  'action-needed-card-data': failed('card-data'),
  'settled-news': withoutCard({
    ...{ ...later, ...settled, offer: lateOffer, told: 'paid' },
  }),
  'settled-room-open': withoutCard({
    ...{ ...inRetreat, ...settled },
    payments: [deposit, { ...paidBalance, by: 'check', cents: 50_000, feeCents: 0 }],
    waivedCents: 20_000,
    room: { openFor: 'retreat', url: 'https://video.example/room' },
  }),
  'settled-room-without-address': withoutCard({
    ...{ ...inRetreat, ...settled, room: { openFor: 'retreat' } },
  }),
  'to-pay-test-session': testView({
    now: new Date('2026-01-15T17:20:00-08:00'),
    standing: { kind: 'to-pay', cents },
    room: { openFor: 'test-session', url: 'https://video.example/room' },
  }),
  over: withoutOffer({ ...afterwards, standing: { kind: 'over', cents } }),
  'over-settled': withoutOffer({ ...afterwards, ...settled }),
  'over-recordings': withoutOffer({
    ...{ ...afterwards, ...settled },
    recordings: { url: 'https://videos.example/retreat' },
  }),
  'over-recordings-once-paid': withoutOffer({
    ...{ ...afterwards, standing: { kind: 'over', cents }, recordings: {} },
  }),
  'settled-by-check': withoutCard({
    ...{ ...later, ...settled, payments: [deposit, checkBalance], offer: checkOffer },
  }),
  cancelling: cancelled(
    { kind: 'cancelling', cancelled: onPage, undoUntil, refund: paidOffer },
    { told: 'cancelled' },
  ),
  'cancelling-unpaid': cancelled(
    { kind: 'cancelling', cancelled: onPage, undoUntil, refund: unpaidOffer },
    { payments: [deposit] },
  ),
  'cancelling-check': cancelled(
    { kind: 'cancelling', cancelled: byOffice, undoUntil, refund: checkOffer },
    { payments: [deposit, checkBalance] },
  ),
  'cancelling-race': cancelled({ kind: 'cancelling', cancelled: onPage, undoUntil, refund: raceOffer }),
  'cancelling-closed': cancelled({ kind: 'cancelling', cancelled: onPage, refund: paidOffer }),
  'cancelling-late': cancelled({ kind: 'cancelling', cancelled: byOffice, refund: lateOffer }),
  'cancelling-disputed': cancelled(
    { kind: 'cancelling', cancelled: onPage, undoUntil, refund: paidOffer },
    { disputed: true },
  ),
  'cancelled-in-work': cancelled(workedOff({ state: 'in-work' })),
  'cancelled-pending': cancelled(workedOff({ state: 'pending', at: repaidAt }), {
    repayments: [{ cents: 70_000, by: 'card', at: repaidAt, pending: true }],
  }),
  'cancelled-refunded': cancelled(workedOff({ state: 'refunded', at: repaidAt }), {
    repayments: [{ cents: 70_000, by: 'card', at: repaidAt, pending: false }],
  }),
  'cancelled-failed': cancelled(workedOff({ state: 'failed' })),
  'cancelled-check-due': cancelled(workedOff({ state: 'check-due', refund: checkOffer }), {
    payments: [deposit, checkBalance],
  }),
  'cancelled-check-sent': cancelled(workedOff({ state: 'check-sent', refund: checkOffer, at: repaidAt }), {
    payments: [deposit, checkBalance],
    repayments: [{ cents: 70_000, by: 'check', at: repaidAt, pending: false }],
  }),
  'cancelled-nothing': cancelled(workedOff({ state: 'nothing', cents: 0, refund: unpaidOffer }), {
    payments: [deposit],
  }),
  'cancelled-too-late': cancelled(workedOff({ state: 'nothing', cents: 0, refund: lateOffer })),
  'address-asked': testView({ askedAddress: 'w…@new.example', told: 'address-asked' }),
  unreachable: testView({ unreachable: true, standing: { kind: 'to-pay', cents, payBy: dueAt } }),
  disputed: withoutOffer({ disputed: true }),
};
