import { PLACE_PATH } from './place.ts';

/** What she does on her page by forms of their own. No script imports this: it would only make it larger. */
export const formPaths = {
  /** Shows what cancelling means, and cancels. */
  cancel: `${PLACE_PATH}/cancel`,
  /** Shows the form in which she corrects her name and phone number, and takes it. */
  details: `${PLACE_PATH}/details`,
  /** The same for another e-mail address, which she confirms by a letter's link. */
  address: `${PLACE_PATH}/address`,
  /** Takes a cancelling back. */
  undo: `${PLACE_PATH}/undo`,
  /** Forgets an address that she asked for and has not confirmed. */
  addressDropped: `${PLACE_PATH}/address/dropped`,
  /** Confirms it, by the token of the link. */
  addressConfirmed: `${PLACE_PATH}/address/confirm`,
} as const;
