import * as v from 'valibot';
import { contactSchema, createPaymentRequestSchema } from './registration.ts';

export const JOIN_WAITING_PATH = '/joinWaitingList';

export const WAITING_PATH = '/waiting';

/** Followed by the token of the letter with an offer. */
export const OFFER_PATH = '/offer';

export const PLACES_LEFT = 'places_left';

const { website, timeZone } = createPaymentRequestSchema.entries;

/**
 * The body of `POST /joinWaitingList`: as for the contact step, without a package. Unknown keys are dropped.
 */
export const joinWaitingRequestSchema = v.object({ ...contactSchema.entries, timeZone, website });
export type JoinWaitingRequest = v.InferInput<typeof joinWaitingRequestSchema>;

/** The response. It is the same for somebody already on the list, so that it does not reveal who is on it. */
export const joinWaitingResponseSchema = v.object({
  confirmationMail: v.picklist(['queued', 'later']),
});
export type JoinWaitingResponse = v.InferOutput<typeof joinWaitingResponseSchema>;
