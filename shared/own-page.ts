export const OWN_PAGE_PATH = '/place';

/** Followed by the token of a letter: the page on which somebody who has not paid ends her registration. */
export const UNFINISHED_PATH = '/unfinished';

/** How many days after the retreat's last one the pages of its registrants stay open; the privacy text says so. */
export const PAGES_OPEN_DAYS = 30;

/** Paths under it. Those to read are opened by GET; the others take POSTs from buttons. */
export const ownPagePaths = {
  enter: `${OWN_PAGE_PATH}/`,
  receipts: `${OWN_PAGE_PATH}/receipts`,
  calendar: `${OWN_PAGE_PATH}/retreat.ics`,
  /** Right after the deposit is paid: opens the page in that browser, read-only. */
  open: `${OWN_PAGE_PATH}/open`,
  link: `${OWN_PAGE_PATH}/link`,
  /** With an `id`, opens a letter that was sent; a POST resends one. */
  letter: `${OWN_PAGE_PATH}/letter`,
  /** Leads on to a page of Stripe or of her bank; `back` is where they lead her back to. */
  go: `${OWN_PAGE_PATH}/go`,
  back: `${OWN_PAGE_PATH}/back`,
  /** Ends all links to the page, and signs every browser out of it. */
  close: `${OWN_PAGE_PATH}/close`,
  /** Signs this browser out of the page. */
  leave: `${OWN_PAGE_PATH}/leave`,
} as const;

export const formPaths = {
  pay: `${OWN_PAGE_PATH}/pay`,
  /** Shows what becomes of another card; a POST leads to Stripe, where she enters it. */
  card: `${OWN_PAGE_PATH}/card`,
  cancel: `${OWN_PAGE_PATH}/cancel`,
  details: `${OWN_PAGE_PATH}/details`,
  address: `${OWN_PAGE_PATH}/address`,
  /** Asks for her proof; a POST answers with all that is kept about her, as a file. */
  data: `${OWN_PAGE_PATH}/data`,
  /** Chooses the zone in which she reads the hours. */
  timeZone: `${OWN_PAGE_PATH}/time-zone`,
  questions: `${OWN_PAGE_PATH}/questions`,
  /** Asks for the proof; a POST undoes a cancellation. */
  undo: `${OWN_PAGE_PATH}/undo`,
  /** The same for dropping a new address that she has not confirmed. */
  addressDropped: `${OWN_PAGE_PATH}/address/dropped`,
  addressConfirmed: `${OWN_PAGE_PATH}/address/confirm`,
  handOver: `${OWN_PAGE_PATH}/hand-over`,
  plan: `${OWN_PAGE_PATH}/plan`,
  takePlace: `${OWN_PAGE_PATH}/take`,
  /** Leads who accepts a place to Stripe, where she enters her card; `takersGo` leads on. */
  takersCard: `${OWN_PAGE_PATH}/take/card`,
  takersGo: `${OWN_PAGE_PATH}/take/go`,
} as const;

export const declineReasons = [
  'insufficient-funds',
  'expired',
  'authentication',
  'card-data',
  /** The bank does not allow further charges to this card. */
  'card-blocked',
  /** Stripe did not carry it out: her bank was not asked. */
  'not-tried',
  /** The bank gives no reason. */
  'declined',
] as const;
export type DeclineReason = (typeof declineReasons)[number];
