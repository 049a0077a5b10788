import type { MailJob, MailKind } from '#server/mail/job.ts';

/** How often each kind goes out, by and large: not everybody pays. */
const KINDS = [
  'registration-received',
  'office-notice',
  'welcome',
  'registration-received',
  'office-notice',
] as const satisfies readonly MailKind[];

/** Mails of all kinds, each of a payment of its own. */
export function benchJobs(label: string, count: number): MailJob[] {
  return Array.from({ length: count }, (_, number) => {
    const registrant = {
      paymentIntentId: `pi_${label}x${number}`,
      firstName: 'Wilma',
      lastName: `O’Hara ${number}`,
      email: `wilma-${number}@example.org`,
      phoneNumber: '+1 (555) 555-0142',
      timeZone: 'Europe/Berlin',
    };
    const kind = KINDS[number % KINDS.length] ?? 'welcome';
    return kind === 'welcome' ? { kind, ...registrant, amountCents: 72_100 } : { kind, ...registrant };
  });
}
