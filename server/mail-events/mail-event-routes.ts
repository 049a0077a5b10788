import type { IRouter, Request, RequestHandler } from 'express';
import { AppError, notFound } from '#server/http/app-error.ts';
import { bytesOf, webhookBody } from '#server/http/request-guards.ts';
import { recordBounce } from '#server/registration/registration.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Metrics } from '#server/service/metrics.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { MAIL_EVENTS_PATH, type MailEvent, readMailEvents, SignatureError } from './mail-events.ts';

interface MailEventDependencies {
  /** With which a provider may sign; without one there is no route. */
  secrets: readonly string[];
  payments: Pick<Payments, 'database'>;
  metrics: Pick<Metrics, 'count'>;
  officeEmail: string;
  logger: Logger;
  now: () => Date;
}

/** Signed by Standard Webhooks. */
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
  const { payments, metrics, officeEmail, logger, now } = dependencies;
  if (event.address.toLowerCase() === officeEmail.toLowerCase()) {
    metrics.count('mail_bounced_total', { type: 'office' });
    logger.error('A letter to the office came back, or was marked as spam');
    return;
  }
  const { found, marked } = await recordBounce(payments, event, now());
  if (found.length === 0) metrics.count('mail_bounced_total', { type: 'unknown' });
  for (const subject of marked) {
    metrics.count('mail_bounced_total', { type: 'bounce' });
    logger.warn({ subject }, 'A letter came back, or was marked as spam: the office is told');
  }
}
