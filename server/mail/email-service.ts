import type { MailMessageData, Transport } from 'nodemailer';
import * as v from 'valibot';
import { version } from '#server/service/version.ts';

const optionalText = v.nullish(v.string(), '');
const addresses = v.nullish(v.array(v.object({ name: optionalText, address: optionalText })), []);

/** A message as nodemailer's `normalize` leaves it: contents read, addresses parsed, attachments in base64. */
const messageSchema = v.object({
  from: v.nullish(v.object({ name: optionalText, address: optionalText })),
  to: addresses,
  replyTo: addresses,
  subject: optionalText,
  text: optionalText,
  html: optionalText,
  messageId: optionalText,
  attachments: v.nullish(
    v.array(
      v.object({
        filename: v.string(),
        contentType: v.string(),
        content: v.string(),
        encoding: optionalText,
      }),
    ),
    [],
  ),
});
type Attachment = v.InferOutput<typeof messageSchema>['attachments'][number];

/**
 * The variables that a template of the e-mail service may use, as flat strings (R5.2). Every part that a mail
 * may have is present, so that no template prints a placeholder; attachments follow as `attachment_1` (a data
 * URL) and `attachment_1_name`, and so on: a template that names none of them sends no attachment.
 * @throws {v.ValiError} when nodemailer's data are not what they should be
 */
export function templateParams(data: MailMessageData): Record<string, string> {
  const message = v.parse(messageSchema, data);
  return {
    from_name: message.from?.name ?? '',
    from_email: message.from?.address ?? '',
    to_name: joined(message.to, 'name'),
    to_email: joined(message.to, 'address'),
    reply_to: joined(message.replyTo, 'address'),
    subject: message.subject,
    message: message.text,
    message_html: message.html,
    message_id: message.messageId,
    ...Object.assign({}, ...message.attachments.map(attachmentParams)),
  };
}

function joined(list: readonly { name: string; address: string }[], part: 'name' | 'address'): string {
  return list.map((entry) => entry[part]).join(', ');
}

/** nodemailer passes text on unchanged and encodes bytes as base64. */
function attachmentParams(attachment: Attachment, index: number): Record<string, string> {
  const { filename, contentType, content, encoding } = attachment;
  const base64 = encoding === 'base64' ? content : Buffer.from(content).toString('base64');
  return {
    [`attachment_${index + 1}`]: `data:${contentType.replaceAll(' ', '')};base64,${base64}`,
    [`attachment_${index + 1}_name`]: filename,
  };
}

interface EmailServiceSettings {
  /** The service's address, without the path. */
  url: string;
  userId: string;
  serviceId: string;
  templateId: string;
  /** How long the service may take to answer, in milliseconds. */
  timeoutMs?: number;
}

/** What nodemailer returns for a mail that the service accepted. */
interface EmailServiceInfo {
  messageId: string;
  envelope: { from: string | false; to: string[] };
}

const SEND_PATH = '/api/v1.0/email/send';
const TIMEOUT_MS = 10_000;
/** The most characters of the service's answer that are kept with a mail. */
const REASON_LENGTH = 500;

/**
 * The HTTP e-mail service as a nodemailer transport (R5.2). A mail fails with an `EmailServiceError`, which
 * says whether a retry may help.
 * @see https://nodemailer.com/plugins/create
 */
export function emailService(settings: EmailServiceSettings): Transport<EmailServiceInfo> {
  return {
    name: 'email-service',
    version,
    send(mail, callback) {
      mail.normalize((error, data) => {
        if (error) return callback(error);
        const info = { messageId: mail.message.messageId(), envelope: mail.message.getEnvelope() };
        deliver(data, settings).then(
          () => callback(null, info),
          (failure: Error) => callback(failure),
        );
      });
    },
    // Nothing is kept open between two mails.
    close() {},
  };
}

async function deliver(data: MailMessageData, settings: EmailServiceSettings): Promise<void> {
  const body = JSON.stringify({
    lib_version: version,
    user_id: settings.userId,
    service_id: settings.serviceId,
    template_id: settings.templateId,
    template_params: templateParams(data),
  });
  const { timeoutMs = TIMEOUT_MS } = settings;
  const answer = await post(settings.url.replace(/\/+$/, '') + SEND_PATH, body, timeoutMs).catch(
    (error: unknown) => {
      throw unanswered(error, timeoutMs);
    },
  );
  if (answer.ok || answer.text.trim() === 'OK') return;
  throw new EmailServiceError(`The e-mail service answered ${answer.status}: ${answer.text.trim()}`, {
    responseCode: answer.status,
  });
}

/** A redirect is not followed: it would turn the mail into a GET without one. */
async function post(url: string, body: string, timeoutMs: number) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { ok, status } = response;
  // The status is known already: a body that breaks off changes nothing.
  const text = ok ? response.body?.cancel() : beginningOf(response);
  return { ok, status, text: (await text?.catch(() => '')) ?? '' };
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= REASON_LENGTH) break;
  }
  return text.slice(0, REASON_LENGTH);
}

function unanswered(error: unknown, timeoutMs: number): EmailServiceError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new EmailServiceError(`The e-mail service did not answer within ${timeoutMs} ms`, {
      cause: error,
    });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  return new EmailServiceError(`The e-mail service cannot be reached: ${words}`, { cause });
}

interface EmailServiceErrorOptions extends ErrorOptions {
  /** The HTTP status, when the service answered. */
  responseCode?: number;
}

/**
 * Statuses after which a retry may succeed: a slow client, a retry too early, too many requests.
 * @see RFC 9110, 15.5
 */
const TEMPORARY_STATUSES = [408, 425, 429];

/**
 * The e-mail service did not accept a mail. Its fields are named like those of nodemailer's errors, for the
 * log; the message may contain the service's own words, and so an address.
 */
export class EmailServiceError extends Error {
  readonly code = 'EEMAILSERVICE';
  readonly responseCode: number | undefined;

  constructor(message: string, { responseCode, ...options }: EmailServiceErrorOptions = {}) {
    super(message, options);
    this.name = 'EmailServiceError';
    this.responseCode = responseCode;
  }

  /**
   * Whether the mail will never be accepted as it is (4xx); network errors, timeouts, 5xx and redirects may
   * pass.
   */
  get permanent(): boolean {
    const status = this.responseCode ?? 0;
    return status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status);
  }
}
