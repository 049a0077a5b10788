import type { OfficeNeed } from '#server/mail/job-facts.ts';
import type { RegistrationState } from '#server/payments/registration-state.ts';
import {
  asksForAddress,
  cancelled,
  cancels,
  correctsAddress,
  correctsName,
  type Deed,
  decides,
  disputeEnds,
  disputesBalance,
  disputesDeposit,
  forgets,
  givesCard,
  givesDepositBack,
  isDeclined,
  paysHerself,
  providerReports,
  refundLosesItsOrder,
  refundSettles,
  stripeRefuses,
  withdraws,
} from './deeds.ts';

/** What one person does in the months before the retreat, up to the office's day, January 20. */
export interface Life {
  /** How many people live it. */
  count: number;
  /** The day on which she registers (month-day). If it names several days, the people are spread over them. */
  on: string;
  pays?: false;
  consents?: false;
  /** A test card's ready-made payment method. */
  card?: string;
  /** The mail server refuses all letters to her. */
  isRefused?: true;
  /** What happens on a day (month-day): at noon, on January 20 at nine. */
  deeds?: readonly (readonly [on: string, deed: Deed])[];
  /** The state of her registration on the office's day, and why it needs the office then. */
  ends: RegistrationState;
  needs?: readonly OfficeNeed[];
}

const waives = (cents: number) => decides('waived', (act) => ({ ...act, cents }));
const givesBack = (cents: number) =>
  decides('refund', (act) => ({ ...act, cents, reason: 'She was ill on one of the days' }));
const promisesCheck = decides('check', (act) => ({ ...act, cents: 70_000 }));
const checkComes = decides('check', (act) => ({ ...act, cents: 70_000, receivedAt: act.at }));
const sendsCheck = decides('checkSent', (act) => ({ ...act, cents: 72_625, sentAt: act.at }));
const postpones = decides('postponed', (act) => ({ ...act, until: new Date('2026-01-24T17:00-08:00') }));
const chargesAgain = decides('charge', (act) => act);

const IN_TIME = '2025-12-20T12:00-08:00';
const WILL_FAIL = 'pm_card_refundFail';
const TAKES_TIME = 'pm_card_pendingRefund';

/** Two hundred people, in every state and with every need that can occur at one moment. */
export const officeLives = {
  // Not paid.
  begun: { count: 3, on: '01-19', pays: false, ends: 'begun' },
  lapsed: { count: 4, on: '01-05', pays: false, ends: 'lapsed' },
  closed: {
    count: 3,
    on: '12-08',
    pays: false,
    deeds: [['12-10', ({ stripe, record }) => stripe.paymentIntents.cancel(record.id)]],
    ends: 'closed',
  },

  // The balance is not due yet.
  'letter-refused': {
    count: 2,
    on: '01-15 01-18',
    isRefused: true,
    ends: 'registered',
    needs: ['letter-failed'],
  },
  'no-consent-ahead': { count: 1, on: '01-15', consents: false, ends: 'registered', needs: ['asked-to-pay'] },
  'too-late': { count: 2, on: '01-19', ends: 'registered', needs: ['asked-to-pay'] },
  noticed: { count: 14, on: '01-14 01-15 01-16', ends: 'noticed' },
  'noticed-later': { count: 4, on: '01-18', ends: 'noticed' },
  postponed: { count: 3, on: '12-05', deeds: [['12-15', postpones]], ends: 'postponed' },

  // The balance is due or overdue.
  'no-consent': { count: 2, on: '12-05', consents: false, ends: 'due', needs: ['asked-to-pay'] },
  'no-notice': {
    count: 1,
    on: '12-05',
    isRefused: true,
    ends: 'due',
    needs: ['letter-failed', 'asked-to-pay'],
  },
  bounced: {
    count: 2,
    on: '12-05',
    deeds: [['12-15', providerReports('bounce')]],
    ends: 'due',
    needs: ['bounced'],
  },
  'check-late': {
    count: 2,
    on: '12-05',
    deeds: [['12-15', promisesCheck]],
    ends: 'due',
    needs: ['check-overdue'],
  },
  'charge-stuck': {
    count: 1,
    on: '12-05',
    deeds: [['12-15', stripeRefuses]],
    ends: 'due',
    needs: ['overdue'],
  },
  'deposit-disputed': {
    count: 1,
    on: '12-05',
    deeds: [['12-15', disputesDeposit]],
    ends: 'due',
    needs: ['disputed'],
  },
  'deposit-given-back': {
    count: 1,
    on: '12-05',
    deeds: [['12-15', givesDepositBack]],
    ends: 'due',
    needs: ['deposit-refunded'],
  },
  retrying: {
    count: 3,
    on: '01-11',
    deeds: [['01-15', isDeclined('insufficient_funds', 'insufficient_funds')]],
    ends: 'retrying',
  },
  'card-lost': {
    count: 2,
    on: '12-05',
    deeds: [['12-15', isDeclined('lost_card')]],
    ends: 'action-needed',
    needs: ['action-needed'],
  },
  'bank-wants-her': {
    count: 1,
    on: '12-05',
    deeds: [['12-15', isDeclined('authentication_required')]],
    ends: 'action-needed',
    needs: ['action-needed'],
  },
  'four-tries': {
    ...{ count: 1, on: '12-05', ends: 'action-needed', needs: ['action-needed'] },
    deeds: [['12-15', isDeclined(...Array.from({ length: 4 }, () => 'insufficient_funds'))]],
  },

  // Nothing is left to pay.
  charged: { count: 88, on: '12-01 12-02 12-03 12-04 12-06 12-08 12-09', ends: 'settled' },
  'charged-late': { count: 10, on: '12-18 01-05', ends: 'settled' },
  'tried-again': {
    count: 2,
    on: '12-05',
    deeds: [['12-15', isDeclined('insufficient_funds')]],
    ends: 'settled',
  },
  'charged-again': {
    count: 1,
    on: '12-05',
    deeds: [
      ['12-15', isDeclined('insufficient_funds')],
      ['12-22', chargesAgain],
    ],
    ends: 'settled',
  },
  'other-card': { count: 1, on: '12-05', deeds: [['12-15', givesCard]], ends: 'settled' },
  'paid-herself': { count: 4, on: '12-05', deeds: [['12-15', paysHerself]], ends: 'settled' },
  'check-came': {
    count: 3,
    on: '12-05',
    deeds: [
      ['12-12', promisesCheck],
      ['12-18', checkComes],
    ],
    ends: 'settled',
  },
  complains: {
    count: 1,
    on: '12-05',
    deeds: [['12-15', providerReports('complaint')]],
    ends: 'settled',
    needs: ['complained'],
  },
  'waived-part': { count: 2, on: '12-05', deeds: [['12-08', waives(20_000)]], ends: 'settled' },
  'waived-all': { count: 1, on: '12-05', deeds: [['12-15', waives(70_000)]], ends: 'settled' },
  'name-corrected': { count: 1, on: '12-05', deeds: [['12-15', correctsName]], ends: 'settled' },
  'address-corrected': { count: 2, on: '12-05', deeds: [['12-15', correctsAddress]], ends: 'settled' },
  'address-asked': { count: 1, on: '12-05', deeds: [['01-19', asksForAddress]], ends: 'settled' },
  exception: { count: 2, on: '12-05', deeds: [['01-10', givesBack(10_000)]], ends: 'settled' },
  'exception-not-taken': {
    ...{ count: 1, on: '12-05', card: WILL_FAIL, ends: 'settled', needs: ['check-to-send'] },
    deeds: [
      ['01-10', givesBack(5_000)],
      ['01-15', refundSettles],
    ],
  },
  'balance-disputed': {
    count: 1,
    on: '12-05',
    deeds: [['01-10', disputesBalance]],
    ends: 'settled',
    needs: ['disputed'],
  },
  'dispute-won': {
    count: 1,
    on: '12-05',
    deeds: [
      ['01-05', disputesBalance],
      ['01-15', disputeEnds('won')],
    ],
    ends: 'settled',
  },
  'dispute-lost': {
    count: 1,
    on: '12-05',
    deeds: [
      ['01-05', disputesBalance],
      ['01-15', disputeEnds('lost')],
    ],
    ends: 'settled',
  },
  'cancel-undone': {
    count: 1,
    on: '12-05',
    deeds: [
      ['12-12', cancels],
      ['12-13', withdraws('cancel')],
    ],
    ends: 'settled',
  },

  // She cancelled.
  cancelling: { count: 2, on: '12-05', deeds: [['01-20', cancels]], ends: 'cancelling' },
  'cancelling-in-time': { count: 2, on: '12-05', deeds: [['01-20', cancelled(IN_TIME)]], ends: 'cancelling' },
  'refund-stuck': {
    ...{ count: 1, on: '12-05', ends: 'cancelling', needs: ['refund-overdue'] },
    deeds: [
      ['12-12', paysHerself],
      ['12-18', cancels],
      ['12-18', stripeRefuses],
    ],
  },
  cancelled: {
    count: 1,
    on: '12-05',
    deeds: [
      ['01-05', cancelled(IN_TIME)],
      ['01-10', refundLosesItsOrder],
    ],
    ends: 'cancelled',
  },
  'refund-under-way': {
    count: 2,
    on: '12-05',
    card: TAKES_TIME,
    deeds: [['01-10', cancelled(IN_TIME)]],
    ends: 'refund-pending',
  },
  'check-to-send': {
    ...{ count: 1, on: '12-05', ends: 'refund-pending', needs: ['check-to-send'] },
    deeds: [
      ['12-12', promisesCheck],
      ['12-15', checkComes],
      ['12-18', cancels],
    ],
  },
  'refund-not-taken': {
    ...{ count: 1, on: '12-05', card: WILL_FAIL, ends: 'refund-failed', needs: ['check-to-send'] },
    deeds: [
      ['01-05', cancelled(IN_TIME)],
      ['01-15', refundSettles],
    ],
  },
  refunded: {
    ...{ count: 3, on: '12-05', ends: 'refunded' },
    deeds: [
      ['12-12', paysHerself],
      ['12-18', cancels],
    ],
  },
  'check-sent': {
    ...{ count: 1, on: '12-05', card: WILL_FAIL, ends: 'refunded' },
    deeds: [
      ['01-05', cancelled(IN_TIME)],
      ['01-10', refundSettles],
      ['01-15', sendsCheck],
    ],
  },
  'nothing-back': { count: 6, on: '12-05', deeds: [['12-12', cancels]], ends: 'nothing-back' },
  'cancelled-late': { count: 2, on: '12-05', deeds: [['01-10', cancels]], ends: 'nothing-back' },
  forgotten: {
    count: 1,
    on: '12-05',
    deeds: [
      ['12-12', cancels],
      ['12-15', forgets],
    ],
    ends: 'nothing-back',
  },
} satisfies Record<string, Life>;

export type LifeName = keyof typeof officeLives;
export const lifeNames = Object.keys(officeLives) as LifeName[];
