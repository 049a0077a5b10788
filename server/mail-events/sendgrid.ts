import { createPublicKey, verify } from 'node:crypto';
import * as v from 'valibot';
import { type MailEvent, type MailEventSource, SignatureError } from './mail-event.ts';

/** The path that SendGrid's dashboard is configured to send its events to. */
export const SENDGRID_PATH = '/webhooks/mail/sendgrid';

/** SendGrid sends its events in batches of at most 768 kB. */
const MOST_BYTES = 768 * 1024;

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
    mostBytes: MOST_BYTES,
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
const eventSchema = v.object({
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
    const read = v.safeParse(eventSchema, one);
    if (read.success) events.push(eventOf(read.output));
    else unreadable += 1;
  }
  return { events, unreadable };
}

function eventOf({ event, email, timestamp, ...facts }: v.InferOutput<typeof eventSchema>): MailEvent {
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
