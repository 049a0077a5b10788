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
  open: `${OWN_PAGE_PATH}/open`,
  link: `${OWN_PAGE_PATH}/link`,
  letter: `${OWN_PAGE_PATH}/letter`,
  go: `${OWN_PAGE_PATH}/go`,
  back: `${OWN_PAGE_PATH}/back`,
  close: `${OWN_PAGE_PATH}/close`,
  leave: `${OWN_PAGE_PATH}/leave`,
} as const;

export const formPaths = {
  pay: `${OWN_PAGE_PATH}/pay`,
  /** Shows what becomes of another card; a POST leads to Stripe, where she enters it. */
  card: `${OWN_PAGE_PATH}/card`,
  cancel: `${OWN_PAGE_PATH}/cancel`,
  details: `${OWN_PAGE_PATH}/details`,
  address: `${OWN_PAGE_PATH}/address`,
  data: `${OWN_PAGE_PATH}/data`,
  timeZone: `${OWN_PAGE_PATH}/time-zone`,
  questions: `${OWN_PAGE_PATH}/questions`,
  undo: `${OWN_PAGE_PATH}/undo`,
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
  'card-blocked',
  /** Stripe did not carry it out: her bank was not asked. */
  'not-tried',
  'declined',
] as const;
export type DeclineReason = (typeof declineReasons)[number];
