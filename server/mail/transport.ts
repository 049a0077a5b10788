import { createTransport, type Transporter } from 'nodemailer';
import type { Config } from '#server/config/config.ts';
import { emailService } from './email-service.ts';

/** nodemailer's own limits are minutes long; a mail that fails here is tried again by the queue. */
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

/** How the worker hands a mail over. */
export type MailTransport = Pick<Transporter, 'sendMail' | 'close'>;

/** The way of sending mails that is configured. */
export function createMailTransport(
  settings: Config['mail']['transport'],
  concurrency: number,
): MailTransport {
  if (settings.kind === 'smtp') return createSmtpTransport(settings.url, concurrency);
  return createTransport(emailService(settings));
}
