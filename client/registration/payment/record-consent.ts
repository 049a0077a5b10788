import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import {
  messages,
  RECORD_CONSENT_PATH,
  RETREAT_FULL,
  type RecordConsentRequest,
} from '#shared/registration.ts';
import { refusalIn } from './create-payment.ts';
import { inTurn } from './in-turn.ts';
import { PaymentNotOpen, PaymentRefused, RetreatFull } from './payment-refused.ts';
import { postUntilAnswered } from './post-until-answered.ts';

/** Longer than the server makes a request wait while the payment provider is busy. */
const TIMEOUT_MS = 60_000;

/** The visitor's consent to the terms is not known to be recorded: her card must not be charged. */
export class ConsentNotRecorded extends Error {
  constructor(cause: unknown) {
    super('The consent to the terms could not be recorded', { cause });
    this.name = 'ConsentNotRecorded';
  }
}

/**
 * Records on the server that the visitor agreed to the terms that this page shows, for the payment of a
 * client secret.
 * @param timeZone the zone that she chose for her hours, if she did
 * @param signal ends the retries, once the consent is no longer needed
 * @throws {PaymentRefused} when her own page, open in this browser, shows that she has a place
 * @throws {PaymentNotOpen} when the server does not know her registration: another one can be begun
 * @throws {RetreatFull} when her place is no longer held, and none is left
 * @throws {ConsentNotRecorded} when it could not be recorded for any other reason
 */
export async function recordConsent(
  paymentIntentClientSecret: string,
  timeZone: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { version, digest } = terms;
  const json: RecordConsentRequest = {
    ...{ paymentIntentClientSecret, version, digest },
    ...(timeZone !== undefined && { timeZone }),
  };
  try {
    await inTurn(() => postUntilAnswered(RECORD_CONSENT_PATH, { json, timeoutMs: TIMEOUT_MS }), signal);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal?.code === RETREAT_FULL) throw new RetreatFull(refusal.message);
    if (refusal?.code === 'registration_not_found')
      throw new PaymentNotOpen(messages.registrationUnknown, { closed: true });
    if (refusal?.code === 'registered_before') {
      const { nothingCharged } = registrationCopy.reassurance;
      throw new PaymentRefused(refusal.message, { reassurance: nothingCharged });
    }
    throw new ConsentNotRecorded(error);
  }
}
