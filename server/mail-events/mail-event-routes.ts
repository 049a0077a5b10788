import type { IRouter, RequestHandler } from 'express';
import { AppError, notFound } from '#server/http/app-error.ts';
import { busy, webhookBody } from '#server/http/webhook-body.ts';
import { type MailEventSource, SignatureError } from './mail-event.ts';
import { SENDGRID_PATH, sendgrid } from './sendgrid.ts';
import { MAIL_EVENTS_PATH, standardWebhooks } from './standard-webhooks.ts';
import { type MailEventDependencies, takeMailEvents } from './take-mail-events.ts';

/** How many requests are processed at the same time: each may wait some seconds for the register. */
const MOST_IN_FLIGHT = 3;

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
  const add = (path: string, source: MailEventSource | undefined) =>
    app.post(path, source ? receiveEvents(source, dependencies) : notFound);
  add(SENDGRID_PATH, sendgridKey === undefined ? undefined : sendgrid(sendgridKey));
  add(MAIL_EVENTS_PATH, secrets.length === 0 ? undefined : standardWebhooks(secrets));
}

function receiveEvents(source: MailEventSource, dependencies: MailEventDependencies): RequestHandler {
  const readBody = webhookBody(source.mostBytes);
  const signed = signedBy(dependencies);
  let inFlight = 0;
  return async (req, res) => {
    const read = signed(() => source.reader((name) => req.get(name) ?? ''));
    const body = await readBody(req, res);
    const events = signed(() => read(body));
    if (inFlight >= MOST_IN_FLIGHT) throw busy();
    inFlight += 1;
    try {
      await takeMailEvents(events, dependencies);
    } finally {
      inFlight -= 1;
    }
    res.json({ received: true });
  };
}

/** Answers and counts requests that are not signed. */
function signedBy({ watcher }: MailEventDependencies) {
  return <Result>(check: () => Result): Result => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof SignatureError)) throw cause;
      watcher.refused();
      const message = 'The signature does not match';
      throw new AppError({ code: 'invalid_signature', status: 400, message, cause });
    }
  };
}
