import { UnrecoverableError } from 'bullmq';
import { EmailServiceError } from './email-service-error.ts';
import { type MailJob, mailJobId, mailOf } from './job.ts';
import { composeMessage } from './letters/compose-message.ts';
import type { MessageContext } from './letters/message.ts';
import type { MailTransport } from './transport.ts';

export interface MailSender extends MessageContext {
  transport: MailTransport;
  /** The `From` of every mail. */
  from: string;
}

/**
 * The mail that a job of the queue holds.
 * @throws {UnrecoverableError} when it holds none of this site
 */
export function readMail({ data }: { data: unknown }): MailJob {
  const mail = mailOf(data);
  if (!mail) throw new UnrecoverableError('The job does not contain a mail of this site');
  return mail;
}

/** A mail, and the name of the job that brings it. */
interface NamedMail {
  id?: string | undefined;
  mail: MailJob;
}

/**
 * Sends one mail. Its Message-ID derives from the job, so that a mail sent twice around a crash is recognised as the
 * same one. Once the signal aborts it is given up, if that is still possible.
 * @throws {UnrecoverableError} when trying again cannot help: an address refused for good
 * @throws {Error} when it may work later
 */
export async function sendMail(
  { mail, id = mailJobId(mail) }: NamedMail,
  sender: MailSender,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await sender.transport.sendMail({
      from: sender.from,
      messageId: `<${id}@${domainOf(sender.from)}>`,
      ...(signal && { signal }),
      ...composeMessage(mail, sender),
    });
  } catch (error) {
    throw isPermanent(error) ? Object.assign(new UnrecoverableError(error.message), { cause: error }) : error;
  }
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}

/** nodemailer's codes for a refused address and a refused message; a refused login is mended by the operator. */
const REFUSALS = ['EENVELOPE', 'EMESSAGE'];

/** SMTP's 5xx answers are final; 4xx, network errors and timeouts are not. @see RFC 5321, 4.2.1 */
function isPermanent(error: unknown): error is Error {
  if (error instanceof EmailServiceError) return error.permanent;
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false;
  return REFUSALS.includes(String(error.code)) && Number(error.responseCode) >= 500;
}
