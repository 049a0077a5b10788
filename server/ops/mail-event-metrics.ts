import type { Registry } from 'prom-client';
import { eventTypes, type MailEventWatcher } from '#server/mail-events/take-mail-events.ts';
import { counter } from './metrics.ts';

/**
 * Counts the letters that did not arrive, as mail providers report them to this app, and requests with an invalid
 * signature.
 */
export function addMailEventMetrics(registry: Registry): MailEventWatcher {
  const told = counter(
    registry,
    'mail_bounced_total',
    'Letters that bounced, were blocked or marked as spam, those to the office, and those of nobody who is known; what a provider tells twice of a registrant counts once',
    eventTypes.map((type) => ({ type })),
  );
  const refused = counter(
    registry,
    'mail_events_refused_total',
    'Requests of a mail provider that were not signed as they should be, and events that cannot be read',
  );
  return { told: (type) => told.inc({ type }), refused: () => refused.inc() };
}
