import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import request from 'supertest';
import { SENDGRID_PATH } from '#server/mail-events/sendgrid.ts';
import { MAIL_EVENTS_PATH, signWebhook } from '#server/mail-events/standard-webhooks.ts';

const EVENTS_SECRET = `whsec_${Buffer.from('a secret of a mail provider that is tested').toString('base64')}`;
export const EARLIER_SECRET = `whsec_${Buffer.from('an earlier secret of that same provider').toString('base64')}`;

const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

/** The environment of a site to which mail providers send events about letters. */
export const eventsEnv = {
  MAIL_EVENTS_SECRET: `${EVENTS_SECRET}, ${EARLIER_SECRET}`,
  MAIL_EVENTS_SENDGRID_KEY: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
};

interface Signed {
  secret?: string;
  /** When the request is sent, in milliseconds since the epoch. */
  at?: number;
  /** The body that arrives, if it is not the signed one. */
  arrives?: string;
  /** Other signatures in the header before this one. */
  before?: string;
}

/** Sends events as the Standard Webhooks specification defines. */
export function sendEvents(app: RequestListener, events: unknown, options: Signed = {}) {
  const { secret = EVENTS_SECRET, at = Date.now(), before = '' } = options;
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  return request(app)
    .post(MAIL_EVENTS_PATH)
    .type('json')
    .set({ 'webhook-id': id, 'webhook-timestamp': timestamp })
    .set('webhook-signature', `${before}${signWebhook(secret, { id, timestamp, body })}`)
    .send(options.arrives ?? body);
}

/** Sends events as SendGrid does. */
export function sendSendgridEvents(
  app: RequestListener,
  events: unknown,
  { arrives, key = keys.privateKey }: { arrives?: string; key?: typeof keys.privateKey } = {},
) {
  const body = JSON.stringify(events);
  const timestamp = '1768953600';
  const signature = sign('sha256', Buffer.from(timestamp + body), key).toString('base64');
  return request(app)
    .post(SENDGRID_PATH)
    .type('json')
    .set('X-Twilio-Email-Event-Webhook-Timestamp', timestamp)
    .set('X-Twilio-Email-Event-Webhook-Signature', signature)
    .send(arrives ?? body);
}
