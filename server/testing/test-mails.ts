import type { MailOf, RegistrationMail } from '#server/mail/job.ts';

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
  placeLink: { kind: 'place-link', ...registrant, request: '2025-12-22-1' },
} as const satisfies Record<string, RegistrationMail>;

/** The office's digest, as it is sent. */
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
  ],
};
