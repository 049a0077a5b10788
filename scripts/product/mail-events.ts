import { randomUUID } from 'node:crypto';
import { MAIL_EVENTS_PATH, signWebhook } from '#server/mail-events/standard-webhooks.ts';

const TIMEOUT_MS = 10_000;

/** Tells a site what happened to a letter, as a mail provider does: by a webhook that is signed with the secret. */
export function tellMailEvent(siteUrl: string, secret: string, event: object): Promise<Response> {
  const body = JSON.stringify(event);
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))];
  return fetch(new URL(MAIL_EVENTS_PATH, siteUrl), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signWebhook(secret, { id, timestamp, body }),
    },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
