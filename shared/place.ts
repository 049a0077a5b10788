/** Her own page. */
export const PLACE_PATH = '/place';

/** What belongs to it. Besides the page itself only the first three are opened; the others take what she presses. */
export const placePaths = {
  /** Followed by the token of a letter's link. */
  enter: `${PLACE_PATH}/`,
  receipts: `${PLACE_PATH}/receipts`,
  calendar: `${PLACE_PATH}/retreat.ics`,
  /** Right after the deposit is paid: opens the page in that browser, only to be seen. */
  open: `${PLACE_PATH}/open`,
  /** Asks for a new link by an e-mail address. */
  link: `${PLACE_PATH}/link`,
  /** Has a letter sent again. */
  letter: `${PLACE_PATH}/letter`,
  /** Begins to pay the balance. */
  pay: `${PLACE_PATH}/pay`,
  /** Begins to give another card, and says that Stripe has stored it. */
  card: `${PLACE_PATH}/card`,
  cardStored: `${PLACE_PATH}/card/stored`,
  /** Forgets the page in this browser. */
  leave: `${PLACE_PATH}/leave`,
} as const;

/** Why a card was refused, as far as she can do something about it. */
export const declineReasons = [
  'insufficient-funds',
  'expired',
  /** Her bank wants her to confirm the payment. */
  'authentication',
  /** Number, date or security code. */
  'card-data',
  /** The bank will not have this card charged any more. */
  'card-blocked',
  /** It does not say why. */
  'declined',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

/** What a press came to, told by the next page. */
export const placeNews = [
  'paid',
  'card-changed',
  'letter-sent',
  'letter-not-sent',
  /** Her place is cancelled, or was already. */
  'cancelled',
  /** It is hers again. */
  'kept',
  'details-corrected',
  /** A letter asks her to confirm another address. */
  'address-asked',
  'address-dropped',
  /** What the page showed does not hold any more: nothing was done. */
  'changed',
  'too-many',
] as const;
export type PlaceNews = (typeof placeNews)[number];
