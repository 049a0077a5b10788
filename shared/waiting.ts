import * as v from 'valibot';
import { contactSchema, createPaymentRequestSchema } from './registration.ts';

/** The path that puts somebody on the waiting list of a full retreat. */
export const JOIN_WAITING_PATH = '/joinWaitingList';

/** Below it, by the token of a letter: the page on which she takes herself off the list. */
export const WAITING_PATH = '/waiting';

/** The landing page with its stepper open for an offer; below it the way there, by the token of the offer's letter. */
export const OFFER_PATH = '/offer';

/** What joining is refused with while there are places. */
export const PLACES_LEFT = 'places_left';

const { website, timeZone } = createPaymentRequestSchema.entries;

/** The body of `POST /joinWaitingList`: the contact step's, and no package. Unknown keys are dropped. */
export const joinWaitingRequestSchema = v.object({ ...contactSchema.entries, timeZone, website });
export type JoinWaitingRequest = v.InferInput<typeof joinWaitingRequestSchema>;

/** Its answer, also to somebody who is on the list already: it tells nobody who that is. */
export const joinWaitingResponseSchema = v.object({
  /** Whether the letter that confirms it is on its way, or follows when mail runs again. */
  confirmationMail: v.picklist(['queued', 'later']),
});
export type JoinWaitingResponse = v.InferOutput<typeof joinWaitingResponseSchema>;
