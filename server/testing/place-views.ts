import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { PlacePayment, PlaceStanding, PlaceView } from '#shared/content/place-view.ts';
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

/** The page of somebody whose balance is charged in three weeks, with whatever is different. */
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
      timeZone: 'Europe/Berlin',
    },
    standing: { kind: 'charged-later', cents, dueAt, wasPostponed: false },
    disputed: false,
    payments: [deposit],
    waivedCents: 0,
    refundedCents: 0,
    card: {
      brand: 'visa',
      last4: '4242',
      expMonth: 8,
      expYear: 2027,
      expired: false,
      expiresBeforeDue: false,
    },
    secondFactor: 'postal-code',
    letters: [
      {
        kind: 'welcome',
        subject: 'Welcome to The Doorway Retreat: your receipt and the schedule',
        state: 'sent',
        again: true,
      },
      {
        kind: 'balance-notice',
        subject: 'On December 21 your card is charged $726.25',
        state: 'waiting',
        again: false,
      },
    ],
    termsPath: '/terms/january-2026-2025-10',
    ...changes,
  };
}

const later = { now: new Date('2025-12-22T10:00:00-08:00') };
const failed = (reason: DeclineReason): PlaceView => ({
  ...testView(later),
  standing: { kind: 'action-needed', cents, reason },
});
const cancelled = (
  standing: Omit<Extract<PlaceStanding, { kind: 'cancelled' }>, 'kind'>,
  changes: Partial<PlaceView> = {},
): PlaceView => {
  const { card: _, ...view } = testView({ ...later, payments: [deposit, paidBalance], ...changes });
  return { ...view, standing: { kind: 'cancelled', ...standing } };
};
const withoutCard = (changes: Partial<PlaceView>): PlaceView => {
  const { card: _, ...view } = testView(changes);
  return view;
};

/** Her page in each of its states, by a name. */
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
    card: {
      brand: 'mastercard',
      last4: '4444',
      expMonth: 11,
      expYear: 2025,
      expired: true,
      expiresBeforeDue: true,
    },
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
      {
        kind: 'welcome',
        subject: 'Welcome to The Doorway Retreat: your receipt and the schedule',
        state: 'sent',
        again: true,
      },
      { kind: 'balance-failed', subject: 'Your card could not be charged', state: 'failed', again: true },
    ],
  }),
  'action-needed-authentication': failed('authentication'),
  'action-needed-expired': {
    ...failed('expired'),
    card: {
      brand: 'visa',
      last4: '0069',
      expMonth: 11,
      expYear: 2025,
      expired: true,
      expiresBeforeDue: true,
    },
  },
  'action-needed-blocked': failed('card-blocked'),
  'action-needed-declined': failed('declined'),
  'action-needed-card-data': failed('card-data'),
  'settled-news': withoutCard({
    ...later,
    standing: { kind: 'settled' },
    payments: [deposit, paidBalance],
    told: 'paid',
  }),
  'settled-room-open': withoutCard({
    now: new Date('2026-01-22T09:00:00-08:00'),
    standing: { kind: 'settled' },
    payments: [deposit, { ...paidBalance, by: 'check', cents: 50_000, feeCents: 0 }],
    waivedCents: 20_000,
    roomUrl: 'https://video.example/room',
  }),
  over: testView({ now: new Date('2026-02-01T10:00:00-08:00'), standing: { kind: 'over', cents } }),
  'over-settled': withoutCard({
    now: new Date('2026-02-01T10:00:00-08:00'),
    standing: { kind: 'settled' },
    payments: [deposit, paidBalance],
  }),
  'cancelled-in-work': cancelled({ refund: 'in-work' }),
  'cancelled-pending': cancelled({ refund: 'pending', refundCents: 70_000 }),
  'cancelled-refunded': cancelled({ refund: 'refunded', refundCents: 70_000 }, { refundedCents: 70_000 }),
  'cancelled-failed': cancelled({ refund: 'failed', refundCents: 70_000 }),
  'cancelled-nothing': cancelled({ refund: 'nothing' }, { payments: [deposit] }),
  disputed: testView({ disputed: true }),
};
