import { UnrecoverableError } from 'bullmq';
import { createTransport } from 'nodemailer';
import type { WorkerConfig } from '#server/config/config.ts';
import { EmailServiceError, emailService } from './email-service.ts';
import type { MailJob } from './job.ts';
import type { MailTransport, Message } from './mail-message.ts';
import { messageIdOf } from './message-id.ts';

export interface MailSender {
  transport: MailTransport;
  /** The `From` of every mail. */
  from: string;
  compose(mail: MailJob): Message;
}

/**
 * Sends one mail. Its Message-ID derives from the job, so that a mail sent twice around a crash is recognized
 * as the same one. When the signal aborts, sending is cancelled if that is still possible.
 * @throws {UnrecoverableError} when a retry cannot help: an address refused for good
 * @throws {Error} when a retry may succeed
 */
export async function sendMail(
  { id, mail }: { id: string; mail: MailJob },
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

/** The configured transport. */
export function createMailTransport(
  settings: WorkerConfig['mail']['transport'],
  concurrency: number,
): MailTransport {
  if (settings.kind === 'smtp') return createSmtpTransport(settings.url, concurrency);
  return emailService(settings);
}
