import type { MailOf, RegistrationMail, WaitingMail } from '#server/mail/job.ts';

const registrant = {
  edition: 'january-2026',
  paymentIntentId: 'pi_1',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'Europe/Berlin',
};

const card = { brand: 'visa', last4: '4242' };
const sums = { cents: 72_625, beforeFeeCents: 70_000 };
const charge = { ...sums, isRefundable: true, dueAt: '2025-12-22T01:00:00.000Z', card };

const refund = {
  ...{ cardCents: 70_000, checkCents: 0 },
  lines: [
    { words: 'deposit', keptCents: 72_100, why: 'not refunded', cents: 0 },
    { words: 'balance by card', why: 'cancelled in time', cents: 70_000 },
    { words: 'its card fee', keptCents: 2_625, why: 'not refunded', cents: 0 },
  ],
};
/** Cancelled on her page, two minutes and a second before the last day for refunds ends. */
const cancelling = {
  ...{ ...refund, card, onPage: true as const, isDisputed: false },
  ...{ at: '2025-12-22T07:57:58.500Z', writtenAt: '2025-12-22T07:57:58.500Z' },
  ...{ undoUntil: '2025-12-23T07:57:58.500Z', workedOffFrom: '2025-12-23T08:57:58.500Z' },
};
const undone = { ...sums, at: '2025-12-10T18:00:00.000Z', standing: 'owed' as const };

/** The mails of one registration. */
export const testMails = {
  received: { kind: 'registration-received', ...registrant },
  notice: { kind: 'office-notice', ...registrant },
  change: { kind: 'office-change', ...registrant },
  paid: { kind: 'office-paid', ...registrant, amountCents: 72_100 },
  welcome: { kind: 'welcome', ...registrant, amountCents: 72_100 },
  chargeNotice: { kind: 'balance-notice', ...registrant, ...charge },
  chargeReminder: { kind: 'balance-reminder', ...registrant, ...charge },
  postponed: { kind: 'balance-postponed', ...registrant, ...charge, dueAt: '2026-01-06T01:00:00.000Z' },
  cardExpires: {
    kind: 'card-expires',
    ...registrant,
    ...charge,
    card: { id: 'pm_1', ...card, expMonth: 11, expYear: 2025 },
  },
  pleasePay: {
    ...{ kind: 'please-pay', ...registrant, ...sums, isRefundable: true },
    ...{ dueAt: charge.dueAt, payBy: charge.dueAt },
  },
  failed: {
    kind: 'balance-failed',
    ...registrant,
    ...sums,
    triedBefore: 0,
    stage: 'first',
    nextAt: '2025-12-23T01:00:00.000Z',
    reason: 'insufficient-funds',
    card: { id: 'pm_1', ...card },
  },
  settled: {
    kind: 'balance-paid',
    ...registrant,
    deposit: { cents: 72_100, paidAt: '2025-12-01T18:00:00.000Z', card },
    balance: { by: 'card', ...sums, paidAt: charge.dueAt, card, reference: 'pi_2' },
    waivedCents: 0,
  },
  cancelReceived: { kind: 'cancel-received', ...registrant, ...cancelling },
  officeCancel: { kind: 'office-cancel', ...registrant, ...cancelling },
  cancelUndone: { kind: 'cancel-undone', ...registrant, ...undone },
  officeCancelUndone: { kind: 'office-cancel-undone', ...registrant, ...undone },
  cancelled: {
    ...{ kind: 'cancelled', ...registrant, ...refund, card },
    ...{ at: '2025-12-23T08:59:00.000Z', writtenAt: cancelling.writtenAt },
  },
  refundFailed: { kind: 'refund-failed', ...registrant, refund: 're_1', cents: 70_000, card },
  refundMade: {
    ...{ kind: 'refund-made', ...registrant, cents: 2_625, by: 'card', card },
    ...{ at: '2026-01-05T18:00:00.000Z', madeAt: '2026-01-05T18:05:00.000Z' },
  },
  testSession: { kind: 'test-session', ...registrant, startsAt: '2026-01-16T01:30:00.000Z' },
  wayIn: {
    ...{ kind: 'way-in', ...registrant, day: '2026-01-23', isOpen: true },
    writtenAt: '2026-01-23T14:00:00.000Z',
  },
  confirmAddress: {
    ...{ kind: 'confirm-address', ...registrant },
    ...{ to: 'new@example.org', at: '2025-12-05T18:00:00.000Z' },
  },
  addressChanged: {
    ...{ kind: 'address-changed', ...registrant, by: 'herself' },
    ...{ to: 'old@example.org', at: '2025-12-05T18:00:00.000Z' },
  },
  scheduleChanged: {
    ...{ kind: 'schedule-changed', ...registrant, revision: 2 },
    writtenAt: '2026-01-05T18:00:00.000Z',
  },
  recordings: { kind: 'recordings', ...registrant },
  placeLink: { kind: 'place-link', ...registrant, request: '2025-12-22-1' },
} as const satisfies Record<string, RegistrationMail>;

const { paymentIntentId: _payment, ...person } = registrant;
const waiting = { ...person, waitingId: 'cus_1', joinedAt: '2025-12-05T18:00:00.000Z' };

/** The mails of one entry of the waiting list. */
export const testWaitingMails = {
  received: { kind: 'waiting-received', ...waiting },
  office: { kind: 'office-waiting', ...waiting },
  offered: { kind: 'place-offered', ...waiting, until: '2025-12-08T01:00:00.000Z' },
} as const satisfies Record<string, WaitingMail>;

/** The office's digest as it is sent. */
export const testDigest: MailOf<'office-digest'> = {
  kind: 'office-digest',
  edition: 'january-2026',
  day: '2025-12-23',
  items: [
    {
      ...{ need: 'action-needed', reason: 'insufficient-funds', cents: 72_625 },
      ...{ name: 'Wilma O’Hara', paymentIntentId: 'pi_1', since: '2025-12-22T01:00:00.000Z' },
    },
    { need: 'payments', count: 2 },
    { need: 'overbooked', count: 1 },
  ],
};
