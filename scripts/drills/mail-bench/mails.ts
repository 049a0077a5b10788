import { createTransport, type SendMailOptions } from 'nodemailer';
import { sampleOffice } from '#scripts/product/environment.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { MailJob, MailKind } from '#server/mail/job.ts';
import { type MailSender, sendMail } from '#server/mail/send-mail.ts';

/** The usual mix of kinds: of two who register, one pays. */
const KINDS = [
  'registration-received',
  'office-notice',
  'welcome',
  'registration-received',
  'office-notice',
  'office-paid',
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
    const isPaid = kind === 'welcome' || kind === 'office-paid';
    return isPaid ? { kind, ...registrant, amountCents: 72_100 } : { kind, ...registrant };
  });
}

const siteUrl = 'https://retreat.example';

/** What every mail of the product says of its sender. */
export const SENDER: Omit<MailSender, 'transport'> = {
  from: sampleOffice.MAIL_FROM,
  office: { email: sampleOffice.OFFICE_EMAIL, phone: sampleOffice.OFFICE_PHONE },
  siteUrl,
  links: createPlaceLinks(['a-secret-of-the-bench-of-mails-only'], siteUrl),
  waitingLinks: createWaitingLinks(['a-secret-of-the-bench-of-mails-only'], siteUrl),
};

/** The mails as the product hands them to nodemailer. */
export async function renderMails(jobs: readonly MailJob[]): Promise<SendMailOptions[]> {
  const rendered: SendMailOptions[] = [];
  const transport = createTransport({
    name: 'keeper',
    version: '1',
    send({ data }, callback) {
      rendered.push(data);
      callback(null, { envelope: { from: false, to: [] }, messageId: '' });
    },
  });
  const sender = { ...SENDER, transport };
  for (const mail of jobs) await sendMail({ mail }, sender);
  return rendered;
}
