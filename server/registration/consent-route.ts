import { type IRouter, json, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { Payments } from '#server/payments/payments.ts';
import { holdPlace, type Places } from '#server/register/places.ts';
import { messages, RECORD_CONSENT_PATH, recordConsentRequestSchema } from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';
import type { ReadOpenPage } from './registration-route.ts';

interface ConsentDependencies {
  payments: Payments;
  limits: RegistrationLimits;
  places: Pick<Places, 'hold'>;
  publicUrl: string;
  readOpenPage: ReadOpenPage;
  now: () => Date;
}

/**
 * `POST /recordConsent`: records that the registrant has agreed to the terms, before the card is charged. The
 * time is this server's. Every request counts for its sender, because each calls Stripe. It holds the place
 * once more from now.
 */
export function addConsentRoute(
  app: IRouter,
  { payments, limits, places, publicUrl, readOpenPage, now }: ConsentDependencies,
): void {
  const count: RequestHandler = async (req, _res, next) => {
    await limits.countConsent({ address: visitorAddress(req) });
    next();
  };
  const record: RequestHandler = async (req, res) => {
    const request = v.safeParse(recordConsentRequestSchema, req.body);
    if (!request.success)
      throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
    const { paymentIntentClientSecret: clientSecret, ...terms } = request.output;
    const consent = { ...terms, agreedAt: now(), openPage: readOpenPage(req) };
    await limits.unlessBusy('consent', { address: visitorAddress(req) }, () =>
      payments.recordConsent(clientSecret, consent, (facts, registration) =>
        holdPlace(places, facts, { registration, agrees: true }),
      ),
    );
    res.status(204).end();
  };
  const before = [requireSameOrigin(publicUrl), requireJson, count, json({ limit: '1kb' })];
  app.post(RECORD_CONSENT_PATH, ...before, record);
}
