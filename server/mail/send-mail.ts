import { UnrecoverableError } from 'bullmq';
import { createTransport, type Transporter } from 'nodemailer';
import type { WorkerConfig } from '#server/config/config.ts';
import { EmailServiceError, emailService } from './email-service.ts';
import type { MailJob } from './job.ts';
import { messageIdOf } from './message-id.ts';
import { mailJobId } from './queued-job.ts';

/** A name and an address, in separate fields so that neither can pass for the other in a header. */
export interface MailAddress {
  name: string;
  address: string;
}

export interface MailAttachment {
  filename: string;
  content: string;
  contentType: string;
}

/** Everything in a mail except its `From` and `Message-ID`, in the form that nodemailer takes. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments?: MailAttachment[];
  headers: Record<string, string>;
  list: Record<string, { url: string; comment?: string }>;
}

export interface MailSender {
  transport: MailTransport;
  /** The `From` of every mail. */
  from: string;
  compose(mail: MailJob): Message;
}

/** A mail, and the id of its job. */
interface NamedMail {
  id?: string;
  mail: MailJob;
}

/**
 * Sends one mail. Its Message-ID derives from the job, so that a mail sent twice around a crash is recognized
 * as the same one. When the signal aborts, sending is cancelled if that is still possible.
 * @throws {UnrecoverableError} when a retry cannot help: an address refused for good
 * @throws {Error} when a retry may succeed
 */
export async function sendMail(
  { mail, id = mailJobId(mail) }: NamedMail,
  sender: MailSender,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await sender.transport.sendMail({
      from: sender.from,
      messageId: messageIdOf(id, sender.from),
      ...(signal && { signal }),
      ...sender.compose(mail),
    });
  } catch (error) {
    throw isPermanent(error) ? Object.assign(new UnrecoverableError(error.message), { cause: error }) : error;
  }
}

/**
 * nodemailer's codes for a refused address and a refused message. A refused login is not among them: the operator fixes
 * it, so the mail is retried.
 */
const REFUSALS = ['EENVELOPE', 'EMESSAGE'];

/** SMTP's 5xx answers are final; 4xx, network errors and timeouts are not. @see RFC 5321, 4.2.1 */
function isPermanent(error: unknown): error is Error {
  if (error instanceof EmailServiceError) return error.permanent;
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false;
  return REFUSALS.includes(String(error.code)) && Number(error.responseCode) >= 500;
}

/** nodemailer's own timeouts are minutes long; the queue retries a mail that fails here. */
const CONNECTION_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;

/** A pool of SMTP connections to the configured mail server. Connects when the first mail is sent. */
export function createSmtpTransport(smtpUrl: string, maxConnections = 5) {
  const { hostname, port, protocol, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  return createTransport({
    pool: true,
    maxConnections,
    host: hostname,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: username !== '',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
}

/** The transport through which the worker sends mails. */
export type MailTransport = Pick<Transporter, 'sendMail' | 'close'>;

/** The configured transport. */
export function createMailTransport(
  settings: WorkerConfig['mail']['transport'],
  concurrency: number,
): MailTransport {
  if (settings.kind === 'smtp') return createSmtpTransport(settings.url, concurrency);
  return createTransport(emailService(settings));
}
