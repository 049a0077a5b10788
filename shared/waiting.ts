import * as v from 'valibot';
import { contactSchema, createPaymentRequestSchema } from './registration.ts';

/** The path that puts somebody on the waiting list of a full retreat. */
export const JOIN_WAITING_PATH = '/joinWaitingList';

/** Followed by the token of a letter: the page on which she confirms that she waits, or leaves the waiting list. */
export const WAITING_PATH = '/waiting';

/** The landing page with its stepper open for an offer; the letter's link, `/offer/TOKEN`, leads there. */
export const OFFER_PATH = '/offer';

/** The error code of joining while places are left. */
export const PLACES_LEFT = 'places_left';

const { website, timeZone } = createPaymentRequestSchema.entries;

/**
 * The body of `POST /joinWaitingList`: as for the contact step, without a package. Unknown keys are dropped.
 */
export const joinWaitingRequestSchema = v.object({ ...contactSchema.entries, timeZone, website });
export type JoinWaitingRequest = v.InferInput<typeof joinWaitingRequestSchema>;

/** The response. It is the same for somebody already on the list, so that it does not reveal who is on it. */
export const joinWaitingResponseSchema = v.object({
  /** Whether the confirming letter is queued, or will be sent once mail works again. */
  confirmationMail: v.picklist(['queued', 'later']),
});
export type JoinWaitingResponse = v.InferOutput<typeof joinWaitingResponseSchema>;
