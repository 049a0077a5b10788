import { type IRouter, type RequestHandler, raw } from 'express';
import { AppError } from '#server/http/app-error.ts';
import { notFound } from '#server/http/error-handler.ts';
import { type MailEventSource, SignatureError } from './mail-event.ts';
import { SENDGRID_PATH, sendgrid } from './sendgrid.ts';
import { MAIL_EVENTS_PATH, standardWebhooks } from './standard-webhooks.ts';
import { type MailEventDependencies, takeMailEvents } from './take-mail-events.ts';

/** SendGrid sends its events in batches of at most 768 kB. */
const LIMIT = '1mb';
/** How many requests are processed at the same time: each may take some seconds at Stripe. */
const MOST_IN_FLIGHT = 3;
const RETRY_AFTER_S = 60;

interface RouteDependencies extends MailEventDependencies {
  /** A provider that is not configured has no route. */
  mailEvents: { sendgridKey: string | undefined; secrets: readonly string[] };
}

/**
 * Accepts the events of mail providers about letters that did not arrive: SendGrid's own, or those signed by
 * Standard Webhooks.
 */
export function addMailEventRoutes(app: IRouter, dependencies: RouteDependencies): void {
  const { sendgridKey, secrets } = dependencies.mailEvents;
  const body = raw({ type: 'application/json', limit: LIMIT });
  const add = (path: string, source: MailEventSource | undefined) =>
    source ? app.post(path, body, receiveEvents(source, dependencies)) : app.post(path, notFound);
  add(SENDGRID_PATH, sendgridKey === undefined ? undefined : sendgrid(sendgridKey));
  add(MAIL_EVENTS_PATH, secrets.length === 0 ? undefined : standardWebhooks(secrets));
}

function receiveEvents(source: MailEventSource, dependencies: MailEventDependencies): RequestHandler {
  let inFlight = 0;
  return async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const read = readSigned(source, body, (name) => req.get(name) ?? '', dependencies);
    if (inFlight >= MOST_IN_FLIGHT) throw busy();
    inFlight += 1;
    try {
      await takeMailEvents(read, dependencies);
    } finally {
      inFlight -= 1;
    }
    res.json({ received: true });
  };
}

function readSigned(
  source: MailEventSource,
  body: Buffer,
  header: (name: string) => string,
  { watcher }: MailEventDependencies,
) {
  try {
    return source.read(body, header);
  } catch (cause) {
    if (!(cause instanceof SignatureError)) throw cause;
    watcher.refused();
    const message = 'The signature does not match';
    throw new AppError({ code: 'invalid_signature', status: 400, message, cause });
  }
}

function busy(): AppError {
  const message = 'Earlier events are still being recorded: please send these again';
  return new AppError({ code: 'busy', status: 503, message, retryAfterS: RETRY_AFTER_S });
}
