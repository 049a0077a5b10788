import { createTransport } from 'nodemailer';
import type { Message } from '#server/mail/letters/compose-message.ts';
import { edition } from '#shared/content/edition.ts';
import { sampleContext } from './samples.ts';

const transport = createTransport({ streamTransport: true, buffer: true });

/** The head of a mail as nodemailer writes it: what a mail server is given. */
export async function writeHead(message: Message): Promise<string> {
  const from = { name: edition.siteName, address: sampleContext.office.email };
  const sent = await transport.sendMail({ from, messageId: '<preview@retreat.example>', ...message });
  const [head = ''] = sent.message.toString().split('\r\n\r\n');
  return head.replaceAll('\r\n', '\n');
}
