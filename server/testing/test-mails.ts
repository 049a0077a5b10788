import type { MailJob } from '#server/mail/job.ts';

const registrant = {
  edition: 'january-2026',
  paymentIntentId: 'pi_1',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'Europe/Berlin',
};

/** The mails of one registration. */
export const testMails = {
  received: { kind: 'registration-received', ...registrant },
  notice: { kind: 'office-notice', ...registrant },
  change: { kind: 'office-change', ...registrant },
  paid: { kind: 'office-paid', ...registrant, amountCents: 72_100 },
  welcome: { kind: 'welcome', ...registrant, amountCents: 72_100 },
} as const satisfies Record<string, MailJob>;
