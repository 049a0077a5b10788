import type { IRouter, Request, RequestHandler } from 'express';
import { AppError, notFound } from '#server/http/app-error.ts';
import { bytesOf, webhookBody } from '#server/http/request-guards.ts';
import { recordBounce } from '#server/registration/registration.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { MAIL_EVENTS_PATH, type MailEvent, readMailEvents, SignatureError } from './mail-events.ts';

interface MailEventDependencies {
  /** With which a provider may sign; without one there is no route. */
  secrets: readonly string[];
  payments: Pick<Payments, 'database'>;
  watcher: MailEventWatcher;
  officeEmail: string;
  logger: Logger;
  now: () => Date;
}

/** Whose letters came back: of who registered or waits; the office's; of nobody who is known here. */
export const eventTypes = ['bounce', 'office', 'unknown'] as const;

/** Is notified of events that were not known before. */
export interface MailEventWatcher {
  told(type: (typeof eventTypes)[number]): void;
  /** A request without a valid signature, or whose event cannot be read. */
  refused(): void;
}

/** Signed by Standard Webhooks. */
export function addMailEventRoutes(app: IRouter, dependencies: MailEventDependencies): void {
  const { secrets, watcher } = dependencies;
  if (secrets.length === 0) {
    app.post(MAIL_EVENTS_PATH, notFound);
    return;
  }
  const signed = <Result>(check: () => Result): Result => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof SignatureError)) throw cause;
      watcher.refused();
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
  const { payments, watcher, officeEmail, logger, now } = dependencies;
  if (event.address.toLowerCase() === officeEmail.toLowerCase()) {
    watcher.told('office');
    logger.error('A letter to the office came back, or was marked as spam');
    return;
  }
  const { found, marked } = await recordBounce(payments, event, now());
  if (found.length === 0) watcher.told('unknown');
  for (const subject of marked) {
    watcher.told('bounce');
    logger.warn({ subject }, 'A letter came back, or was marked as spam: the office is told');
  }
}
