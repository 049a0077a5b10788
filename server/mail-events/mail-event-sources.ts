import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import * as v from 'valibot';

/** An event of a mail provider about a letter that it was to deliver. */
export interface MailEvent {
  /** `complaint`: the reader of the letter marked it as spam. */
  type: 'bounce' | 'complaint';
  /**
   * True: the address accepts no letters. False: only this letter is lost, and the provider does not retry
   * it.
   */
  permanent: boolean;
  /** The address to which the letter was sent. */
  address: string;
  messageId?: string;
  at: Date;
}

/** The events of a request, and how many further ones in it cannot be read. */
export interface ReadEvents {
  events: readonly MailEvent[];
  unreadable: number;
}

/** Verifies the signature of a request, and reads its events. */
export interface MailEventSource {
  /** The largest body that the provider sends. */
  mostBytes: number;
  /**
   * Checks what the headers of a request show without its body; the returned function verifies the body, and reads it.
   * @throws {SignatureError} when the headers are missing, malformed or too old; later, when the body is not signed or
   *   not JSON
   */
  reader(header: (name: string) => string): (body: Buffer) => ReadEvents;
}

/** A request that is not accepted; the message says why. */
export class SignatureError extends Error {}

/** The path that SendGrid's dashboard is configured to send its events to. */
export const SENDGRID_PATH = '/webhooks/mail/sendgrid';

/** SendGrid sends its events in batches of at most 768 kB. */
const SENDGRID_MOST_BYTES = 768 * 1024;

/** A sequence in DER, as an ECDSA signature is. */
const DER_SEQUENCE = 0x30;

/**
 * SendGrid's Event Webhook: ECDSA on P-256 over the timestamp and the raw body. Its key is shown in the
 * dashboard, as base64 of its DER form. SendGrid may repeat a request for a day, so no request is too old: an
 * event takes effect once, however often it comes.
 * @see
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export function sendgrid(publicKey: string): MailEventSource {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return {
    mostBytes: SENDGRID_MOST_BYTES,
    reader(header) {
      const timestamp = header('X-Twilio-Email-Event-Webhook-Timestamp');
      const signature = Buffer.from(header('X-Twilio-Email-Event-Webhook-Signature'), 'base64');
      const [kind, length] = signature;
      if (!/^\d{1,12}$/.test(timestamp) || kind !== DER_SEQUENCE || length !== signature.length - 2)
        throw new SignatureError('Its time or its signature is missing or malformed');
      return (body) => {
        if (!verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, signature))
          throw new SignatureError('The signature is not of the key in MAIL_EVENTS_SENDGRID_KEY');
        return readEvents(body);
      };
    },
  };
}

/** The events about letters that did not arrive, or were marked as spam. */
const TOLD = ['bounce', 'dropped', 'spamreport'];

const anySchema = v.object({ event: v.string() });
const batchSchema = v.pipe(v.string(), v.parseJson(), v.array(v.unknown()));
const sendgridSchema = v.object({
  event: v.picklist(['bounce', 'dropped', 'spamreport']),
  email: v.pipe(v.string(), v.nonEmpty()),
  /** Seconds since the epoch. */
  timestamp: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e11)),
  /** The Message-ID with which the letter was handed to SendGrid. */
  'smtp-id': v.optional(v.string()),
  /** For a bounce: `bounce`, or `blocked` if it says nothing about the address. */
  type: v.optional(v.string()),
  /** For a dropped letter: why SendGrid did not try to send it. */
  reason: v.optional(v.string()),
});

function readEvents(body: Buffer) {
  const batch = v.safeParse(batchSchema, body.toString());
  if (!batch.success) throw new SignatureError('The body is no list of events');
  const events: MailEvent[] = [];
  let unreadable = 0;
  for (const one of batch.output) {
    const any = v.safeParse(anySchema, one);
    // Events about delivered letters, and about what readers do with them, are ignored.
    if (any.success && !TOLD.includes(any.output.event)) continue;
    const read = v.safeParse(sendgridSchema, one);
    if (read.success) events.push(eventOf(read.output));
    else unreadable += 1;
  }
  return { events, unreadable };
}

function eventOf({ event, email, timestamp, ...facts }: v.InferOutput<typeof sendgridSchema>): MailEvent {
  const messageId = facts['smtp-id'];
  return {
    type: event === 'spamreport' ? 'complaint' : 'bounce',
    permanent: event === 'bounce' ? facts.type !== 'blocked' : isSuppressed(facts.reason),
    address: email,
    ...(messageId !== undefined && { messageId }),
    at: new Date(timestamp * 1000),
  };
}

/**
 * Whether a letter was dropped because of its address: it bounced before, it is invalid, or its reader
 * complained or unsubscribed. SendGrid sends nothing to it until it is taken off SendGrid's lists. Other
 * letters were dropped for their content, or for a quota.
 */
function isSuppressed(reason = ''): boolean {
  return /^(?:bounced|spam reporting|unsubscribed) address|^invalid$/i.test(reason);
}

/** Where any other provider sends its events. */
export const MAIL_EVENTS_PATH = '/webhooks/mail';

/** How old, or how far in the future, a request may be: against replays. */
const TOLERANCE_S = 5 * 60;
/** The prefix of a secret; the rest is base64. */
const PREFIX = 'whsec_';
/** An HMAC with SHA-256, in base64. */
const SIGNATURE = /(?:^| )v1,[\w+/-]{43}=(?: |$)/;
/** A thousand events; the specification recommends 20 kB. */
const STANDARD_MOST_BYTES = 256 * 1024;

/**
 * Any mail provider, through a small adapter: the request is signed as the Standard Webhooks specification
 * says, with one of the secrets, and contains one event or a list of them (`server/ops/launch.md`).
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function standardWebhooks(secrets: readonly string[], clock = Date.now): MailEventSource {
  return {
    mostBytes: STANDARD_MOST_BYTES,
    reader(header) {
      const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
      if (id === '' || !/^\d{1,12}$/.test(timestamp)) throw new SignatureError('It names no id or time');
      if (Math.abs(clock() / 1000 - Number(timestamp)) > TOLERANCE_S)
        throw new SignatureError('It is more than five minutes old, or ahead');
      const signatures = header('webhook-signature');
      if (!SIGNATURE.test(signatures)) throw new SignatureError('Its signature is missing or malformed');
      const given = signatures.split(' ').map((one) => Buffer.from(one));
      return (body) => {
        const isSigned = secrets.some((secret) => {
          const expected = Buffer.from(signWebhook(secret, { id, timestamp, body }));
          return given.some((one) => isSame(one, expected));
        });
        if (!isSigned) throw new SignatureError('No signature is of a secret in MAIL_EVENTS_SECRET');
        const read = v.safeParse(bodySchema, body.toString());
        if (!read.success) throw new SignatureError('It is signed, and holds no event');
        return { events: read.output, unreadable: 0 };
      };
    },
  };
}

/** The signature of a request, in the form of its header. */
export function signWebhook(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: Buffer | string },
): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

const eventSchema = v.object({
  type: v.picklist(['bounce', 'complaint']),
  permanent: v.optional(v.boolean(), true),
  address: v.pipe(v.string(), v.nonEmpty(), v.maxLength(320)),
  messageId: v.exactOptional(v.pipe(v.string(), v.maxLength(500))),
  at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => new Date(text)),
  ),
});
const bodySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.array(eventSchema),
    v.pipe(
      eventSchema,
      v.transform((one) => [one]),
    ),
  ]),
);
