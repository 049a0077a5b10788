import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { RECORD_CONSENT_PATH, RETREAT_FULL, type RecordConsentRequest } from '#shared/registration.ts';
import { refusalIn } from './create-payment.ts';
import { inTurn } from './in-turn.ts';
import { PaymentRefused, RetreatFull } from './payment-refused.ts';
import { postUntilAnswered } from './post-until-answered.ts';

/** Longer than the server lets her wait for her turn at the payment provider. */
const TIMEOUT_MS = 60_000;

/** The server does not have the visitor's consent to the terms, as far as is known: her card must not be charged. */
export class ConsentNotRecorded extends Error {
  constructor(cause: unknown) {
    super('The consent to the terms could not be recorded', { cause });
    this.name = 'ConsentNotRecorded';
  }
}

/**
 * Tells the server that the visitor agreed to the terms that this page shows, for the payment of a client secret.
 * @param signal ends the waiting for a turn: nobody wants it any more
 * @throws {PaymentRefused} when a place is reserved for her by now, as from another browser
 * @throws {RetreatFull} when she has no place any more, and none is left
 * @throws {ConsentNotRecorded} whatever else kept it from being recorded
 */
export async function recordConsent(paymentIntentClientSecret: string, signal: AbortSignal): Promise<void> {
  const { version, digest } = terms;
  const json: RecordConsentRequest = { paymentIntentClientSecret, version, digest };
  try {
    await inTurn(() => postUntilAnswered(RECORD_CONSENT_PATH, { json, timeoutMs: TIMEOUT_MS }), signal);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal?.code === RETREAT_FULL) throw new RetreatFull(refusal.message);
    if (refusal?.code === 'registered_before') {
      const { nothingCharged } = registrationCopy.reassurance;
      throw new PaymentRefused(refusal.message, { reassurance: nothingCharged });
    }
    throw new ConsentNotRecorded(error);
  }
}
