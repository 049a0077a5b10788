import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IRouter, Request, RequestHandler } from 'express';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import type { Database } from '#server/database/database.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { recordBounce } from '#server/registration/registration.ts';
import { AppError, notFound } from '#server/web/app-error.ts';
import { bytesOf, webhookBody } from '#server/web/request-guards.ts';

export const MAIL_EVENTS_PATH = '/webhooks/mail';

/** How old, or how far in the future, a request may be: against replays. */
const TOLERANCE_S = 5 * 60;
const PREFIX = 'whsec_';
/** An HMAC with SHA-256, in base64. */
const SIGNATURE = /(?:^| )v1,[\w+/-]{43}=(?: |$)/;

class SignatureError extends Error {}

/**
 * What the headers say, without the body. Svix calls them `svix-`.
 * @throws {SignatureError} when they are missing, malformed or too old
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
function signedOf(req: Request) {
  const header = (name: string): string => req.get(`webhook-${name}`) ?? req.get(`svix-${name}`) ?? '';
  const [id, timestamp, signatures] = [header('id'), header('timestamp'), header('signature')];
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) throw new SignatureError('It names no id or time');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S)
    throw new SignatureError('It is more than five minutes old, or ahead');
  if (!SIGNATURE.test(signatures)) throw new SignatureError('Its signature is missing or malformed');
  return { id, timestamp, signatures: signatures.split(' ').map((one) => Buffer.from(one)) };
}

/** @throws {SignatureError} unless it is signed with one of the secrets, and holds an event */
function readEvent(secrets: readonly string[], req: Request) {
  const { signatures, ...signed } = signedOf(req);
  const body = bytesOf(req);
  const expected = secrets.map((secret) => Buffer.from(signWebhook(secret, { ...signed, body })));
  if (!signatures.some((given) => expected.some((one) => isSame(given, one))))
    throw new SignatureError('No signature is of a secret in MAIL_EVENTS_SECRET');
  const read = v.safeParse(bodySchema, body.toString());
  if (!read.success) throw new SignatureError('It is signed, and holds no event');
  return read.output;
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

const bodySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.object({
      type: v.picklist(['email.bounced', 'email.complained']),
      created_at: v.pipe(v.string(), v.isoTimestamp()),
      data: v.object({ to: v.array(address) }),
    }),
    // By these, letters reach the addresses.
    v.object({ type: v.pipe(v.string(), v.regex(/^\w+\.(?!bounced|complained)\w+$/)) }),
  ]),
);

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
  const checked = <Result>(read: () => Result): Result => {
    try {
      return read();
    } catch (cause) {
      if (!(cause instanceof SignatureError)) throw cause;
      metrics.count('mail_events_refused_total');
      const message = 'The signature does not match';
      throw new AppError({ code: 'invalid_signature', status: 400, message, cause });
    }
  };
  const requireSignature: RequestHandler = (req, _res, next) => {
    checked(() => signedOf(req));
    next();
  };
  app.post(MAIL_EVENTS_PATH, requireSignature, webhookBody, async (req, res) => {
    const event = checked(() => readEvent(secrets, req));
    if ('data' in event)
      for (const lost of event.data.to)
        await recordLost({ address: lost, at: new Date(event.created_at) }, dependencies);
    res.json({ received: true });
  });
}

/** It came back, or its reader marked it as spam. @throws {AppError} when that could not be recorded: the provider sends it again */
async function recordLost(
  event: { address: string; at: Date },
  dependencies: MailEventDependencies,
): Promise<void> {
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
