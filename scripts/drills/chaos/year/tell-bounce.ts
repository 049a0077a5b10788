import { randomBytes } from 'node:crypto';

import { MAIL_EVENTS_PATH, signWebhook } from '#server/mail-events/standard-webhooks.ts';
import type { Bounce } from './life.ts';

/** A letter that bounced, as the drill noted it; in business time. */
export interface Returned {
  address: string;
  messageId: string;
  type: Bounce['type'];
  /** When the mail server had accepted the letter. */
  takenAt: number;
  /**
   * When the bounce was first reported to the site, and when the site accepted the report: Infinity until
   * then.
   */
  askedAt: number;
  knownAt: number;
}

/** The secret with which the mail service of a year signs. */
export const MAIL_EVENTS_SECRET = `whsec_${Buffer.from('sample-secret-of-a-mail-service!').toString('base64')}`;

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Reports once to the site that a letter bounced, as a mail service does; returns whether the site accepted
 * the report.
 */
export async function tellBounce(
  { address, messageId, type, takenAt }: Returned,
  isByAddress: boolean,
  siteUrl: string,
): Promise<boolean> {
  const body = JSON.stringify({
    type: type === 'complaint' ? 'complaint' : 'bounce',
    permanent: type !== 'soft',
    address,
    at: new Date(takenAt).toISOString(),
    ...(!isByAddress && { messageId }),
  });
  const [id, timestamp] = [randomBytes(12).toString('hex'), String(Math.floor(Date.now() / 1000))];
  const answer = await fetch(new URL(MAIL_EVENTS_PATH, siteUrl), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp },
      'webhook-signature': signWebhook(MAIL_EVENTS_SECRET, { id, timestamp, body }),
    },
    body,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (answer.status >= 400 && answer.status < 500)
    throw new Error(`What came back was refused: ${answer.status} ${await answer.text()}`);
  return answer.ok;
}
