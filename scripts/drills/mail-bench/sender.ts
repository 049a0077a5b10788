import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailJob } from '#server/mail/job.ts';
import { type MailSender, sendMail } from '#server/mail/send-mail.ts';

/** What every mail of the product says of its sender. */
export const SENDER: Omit<MailSender, 'transport'> = {
  from: 'The Retreat <office@retreat.example>',
  office: { email: 'office@retreat.example', phone: '+1 (555) 555-0100' },
  siteUrl: 'https://retreat.example',
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
  for (const mail of jobs) await sendMail({ mail }, { ...SENDER, transport });
  return rendered;
}
