import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IRouter, Request, RequestHandler } from 'express';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import type { Database } from '#server/database/database.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { recordBounce } from '#server/registration/registration.ts';
import { AppError, notFound } from '#server/web/app-error.ts';
import { bytesOf, webhookBody } from '#server/web/request-guards.ts';

/** A letter to this address came back, or its reader marked it as spam. */
interface MailEvent {
  address: string;
  at: Date;
}

class SignatureError extends Error {}

export const MAIL_EVENTS_PATH = '/webhooks/mail';

/** How old, or how far in the future, a request may be: against replays. */
const TOLERANCE_S = 5 * 60;
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
function readMailEvents(
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

interface MailEventDependencies {
  /** With which a provider may sign; without one there is no route. */
  secrets: readonly string[];
  database: Database;
  metrics: Pick<Metrics, 'count'>;
  officeEmail: string;
  logger: Logger;
  now: () => Date;
}

export function addMailEventRoutes(app: IRouter, dependencies: MailEventDependencies): void {
  const { secrets, metrics } = dependencies;
  if (secrets.length === 0) {
    app.post(MAIL_EVENTS_PATH, notFound);
    return;
  }
  const signed = <Result>(check: () => Result): Result => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof SignatureError)) throw cause;
      metrics.count('mail_events_refused_total');
      const message = 'The signature does not match';
      throw new AppError({ code: 'invalid_signature', status: 400, message, cause });
    }
  };
  const readHeaders = (req: Request) => signed(() => readMailEvents(secrets, (name) => req.get(name) ?? ''));
  const requireSignature: RequestHandler = (req, _res, next) => {
    readHeaders(req);
    next();
  };
  app.post(MAIL_EVENTS_PATH, requireSignature, webhookBody, async (req, res) => {
    const events = signed(() => readHeaders(req)(bytesOf(req)));
    for (const event of events) await takeEvent(event, dependencies);
    res.json({ received: true });
  });
}

/** @throws {AppError} when it could not be recorded: the provider sends it again */
async function takeEvent(event: MailEvent, dependencies: MailEventDependencies): Promise<void> {
  const { database, metrics, officeEmail, logger, now } = dependencies;
  if (event.address.toLowerCase() === officeEmail.toLowerCase()) {
    metrics.count('mail_bounced_total', { type: 'office' });
    logger.error('A letter to the office came back, or was marked as spam');
    return;
  }
  const { found, marked } = await recordBounce({ database }, event, now());
  if (found.length === 0) metrics.count('mail_bounced_total', { type: 'unknown' });
  for (const subject of marked) {
    metrics.count('mail_bounced_total', { type: 'bounce' });
    logger.warn({ subject }, 'A letter came back, or was marked as spam: the office is told');
  }
}
