import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';

/** A letter to this address came back, or its reader marked it as spam. */
export interface MailEvent {
  address: string;
  at: Date;
}

export class SignatureError extends Error {}

export const MAIL_EVENTS_PATH = '/webhooks/mail';

/** How old, or how far in the future, a request may be: against replays. */
const TOLERANCE_S = 5 * 60;
/** The prefix of a secret; the rest is base64. */
const PREFIX = 'whsec_';
/** An HMAC with SHA-256, in base64. */
const SIGNATURE = /(?:^| )v1,[\w+/-]{43}=(?: |$)/;

/**
 * Checks what the headers show without the body; the returned function verifies that, and reads it. Signed
 * with one of the secrets; Svix calls the same headers `svix-`.
 * @throws {SignatureError} when the headers are missing, malformed or too old; later, for the body
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export function readMailEvents(
  secrets: readonly string[],
  header: (name: string) => string,
  clock = Date.now,
): (body: Buffer) => readonly MailEvent[] {
  const either = (name: string) => header(`webhook-${name}`) || header(`svix-${name}`);
  const [id, timestamp, signatures] = [either('id'), either('timestamp'), either('signature')];
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) throw new SignatureError('It names no id or time');
  if (Math.abs(clock() / 1000 - Number(timestamp)) > TOLERANCE_S)
    throw new SignatureError('It is more than five minutes old, or ahead');
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
    return read.output;
  };
}

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

const address = v.pipe(v.string(), v.nonEmpty(), v.maxLength(320));
const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
);

/** By these, no letter reaches the addresses. */
const LOST = ['email.bounced', 'email.complained'] as const;

const eventSchema = v.union([
  v.pipe(
    v.object({
      type: v.picklist(LOST),
      created_at: moment,
      data: v.object({ to: v.array(address) }),
    }),
    v.transform(({ created_at: at, data }): MailEvent[] => data.to.map((one) => ({ address: one, at }))),
  ),
  v.pipe(
    v.object({
      type: v.pipe(v.string(), v.regex(/^\w+\.\w+$/), v.excludes('bounced'), v.excludes('complained')),
    }),
    v.transform((): MailEvent[] => []),
  ),
]);
const bodySchema = v.pipe(v.string(), v.parseJson(), eventSchema);
