import { UnrecoverableError } from 'bullmq';
import { createTransport } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import type { WorkerConfig } from '#server/config/config.ts';
import { version } from '#server/config/version.ts';
import { causeOf } from '#server/web/app-error.ts';
import type { Message } from './compose-message.ts';
import type { Attachment, Mail } from './letter-kind.ts';

interface OutgoingMail extends Omit<Message, 'said'> {
  from: string;
  messageId: string;
  signal?: AbortSignal;
}

interface MailTransport {
  sendMail(mail: OutgoingMail): Promise<unknown>;
  close(): void;
}

export interface MailSender {
  transport: MailTransport;
  from: string;
  compose(mail: Mail): Message;
}

/**
 * Its Message-ID derives from the job: a mail sent twice around a crash is recognized as the same one.
 * @returns what it said, as it is kept
 * @throws {UnrecoverableError} when a retry cannot help: an address refused for good
 * @throws {Error} when a retry may succeed
 */
export async function sendMail(
  { id, mail }: { id: string; mail: Mail },
  sender: MailSender,
  signal?: AbortSignal,
): Promise<string | null> {
  try {
    const { said, ...message } = sender.compose(mail);
    await sender.transport.sendMail({
      from: sender.from,
      messageId: messageIdHeader(id, sender.from),
      ...(signal && { signal }),
      ...message,
    });
    return said;
  } catch (error) {
    throw isPermanent(error) ? Object.assign(new UnrecoverableError(error.message), { cause: error }) : error;
  }
}

function messageIdHeader(jobId: string, from: string): string {
  return `<${jobId}@${/@([\w.-]+)/.exec(from)?.[1] ?? 'localhost'}>`;
}

/** nodemailer's codes. A refused login is not among them: the operator fixes it, so the mail is retried. */
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

export function createMailTransport(settings: Settings, concurrency: number): MailTransport {
  if (settings.kind === 'smtp') return createSmtpTransport(settings.url, concurrency);
  return emailService(settings);
}

/** Flat strings (R5.2). Attachments are `attachment_1` (a data URL) and `attachment_1_name`, and so on. */
function templateParams(mail: OutgoingMail): Record<string, string> {
  const [sender] = addressparser(mail.from, { flatten: true });
  return {
    from_name: sender?.name ?? '',
    from_email: sender?.address ?? '',
    to_name: mail.to.name,
    to_email: mail.to.address,
    reply_to: mail.replyTo.address,
    subject: mail.subject,
    message: mail.text,
    message_html: mail.html.replaceAll(SHOWN_BY_ID, ''),
    message_id: mail.messageId,
    ...Object.assign({}, ...mail.attachments.filter(({ cid }) => !cid).map(attachmentParams)),
  };
}

/** The service has no parts that a mail shows by their Content-ID. */
const SHOWN_BY_ID = /<img src="cid:[^>]*>/g;

function attachmentParams({ filename, contentType, content }: Attachment, index: number) {
  const base64 = Buffer.from(content).toString('base64');
  return {
    [`attachment_${index + 1}`]: `data:${contentType.replaceAll(' ', '')};base64,${base64}`,
    [`attachment_${index + 1}_name`]: filename,
  };
}

type Settings = WorkerConfig['mail']['transport'];
type EmailServiceSettings = Omit<Extract<Settings, { kind: 'email-service' }>, 'kind'> & {
  timeoutMs?: number;
};

const SEND_PATH = '/api/v1.0/email/send';
const TIMEOUT_MS = 10_000;
/** The most characters of the service's answer that are kept with a mail. */
const REASON_LENGTH = 500;

/** R5.2. A mail fails with an `EmailServiceError`, which says whether a retry may help. */
export function emailService(settings: EmailServiceSettings): MailTransport {
  return {
    sendMail: (mail) => deliver(mail, settings),
    close() {},
  };
}

async function deliver(mail: OutgoingMail, settings: EmailServiceSettings): Promise<void> {
  const { url, userId, serviceId, templateId, timeoutMs = TIMEOUT_MS } = settings;
  const body = JSON.stringify({
    lib_version: version,
    user_id: userId,
    service_id: serviceId,
    template_id: templateId,
    template_params: templateParams(mail),
  });
  const response = await fetch(url.replace(/\/+$/, '') + SEND_PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    // One that is followed would turn the mail into a GET without one.
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(mail.signal ? [mail.signal] : [])]),
  }).catch((error: unknown) => {
    // Also after a timeout, and where sending was cancelled.
    const cause = causeOf(error instanceof Error && error.cause ? error.cause : error);
    throw new EmailServiceError(`The e-mail service cannot be reached: ${cause.message}`, { cause });
  });
  const { ok, status } = response;
  // The status is known already: a body that breaks off, or never ends, changes nothing.
  const text = (await response.text().catch(() => '')).trim().slice(0, REASON_LENGTH);
  if (ok || text === 'OK') return;
  throw new EmailServiceError(`The e-mail service answered ${status}: ${text}`, { responseCode: status });
}

/** A slow client, a retry too early, too many requests. @see RFC 9110, 15.5 */
const TEMPORARY_STATUSES = [408, 425, 429];

/** Fields are named as in nodemailer's errors, for the log; the message may contain an address. */
export class EmailServiceError extends Error {
  readonly code = 'EEMAILSERVICE';
  readonly responseCode: number | undefined;

  constructor(message: string, { responseCode, ...options }: ErrorOptions & { responseCode?: number } = {}) {
    super(message, options);
    this.name = 'EmailServiceError';
    this.responseCode = responseCode;
  }

  /** 4xx; network errors, timeouts, 5xx and redirects may pass. */
  get permanent(): boolean {
    const status = this.responseCode ?? 0;
    return status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status);
  }
}
