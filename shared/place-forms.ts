import { PLACE_PATH } from './place.ts';

/** Paths of the forms on a registrant's page that need no script; kept out of the page's script. */
export const formPaths = {
  /** Shows what cancelling means; a POST cancels. */
  cancel: `${PLACE_PATH}/cancel`,
  /** Shows the form for her name and phone number; a POST saves them. */
  details: `${PLACE_PATH}/details`,
  /** The same for a new e-mail address, which she then confirms by the link in a letter. */
  address: `${PLACE_PATH}/address`,
  /** Undoes a cancellation. */
  undo: `${PLACE_PATH}/undo`,
  /** Drops a new address that she has not confirmed. */
  addressDropped: `${PLACE_PATH}/address/dropped`,
  /** Confirms the new address, by the token of the link. */
  addressConfirmed: `${PLACE_PATH}/address/confirm`,
} as const;
