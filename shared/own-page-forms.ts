import { OWN_PAGE_PATH } from './own-page.ts';

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
