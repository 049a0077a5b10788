import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { type MailEventSource, SignatureError } from './mail-event.ts';

/** Where any other provider sends its events. */
export const MAIL_EVENTS_PATH = '/webhooks/mail';

/** How old, or how far in the future, a request may be: against replays. */
const TOLERANCE_S = 5 * 60;
/** The prefix of a secret; the rest is base64. */
const PREFIX = 'whsec_';
/** An HMAC with SHA-256, in base64. */
const SIGNATURE = /(?:^| )v1,[\w+/-]{43}=(?: |$)/;
/** A thousand events; the specification recommends 20 kB. */
const MOST_BYTES = 256 * 1024;

/**
 * Any mail provider, through a small adapter: the request is signed as the Standard Webhooks specification
 * says, with one of the secrets, and contains one event or a list of them (`server/ops/launch.md`).
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function standardWebhooks(secrets: readonly string[], clock = Date.now): MailEventSource {
  return {
    mostBytes: MOST_BYTES,
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
