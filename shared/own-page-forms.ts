import { OWN_PAGE_PATH } from './own-page.ts';

/** Paths of the forms on a registrant's page. */
export const formPaths = {
  /** Shows what she pays, and with which card; a POST pays. */
  pay: `${OWN_PAGE_PATH}/pay`,
  /** Shows what becomes of another card; a POST leads to Stripe, where she enters it. */
  card: `${OWN_PAGE_PATH}/card`,
  /** Shows what cancelling means; a POST cancels. */
  cancel: `${OWN_PAGE_PATH}/cancel`,
  /** Shows the form for her name and phone number; a POST saves them. */
  details: `${OWN_PAGE_PATH}/details`,
  /** The same for a new e-mail address, which she then confirms by the link in a letter. */
  address: `${OWN_PAGE_PATH}/address`,
  /** Asks for her proof; a POST answers with all that is kept about her, as a file. */
  data: `${OWN_PAGE_PATH}/data`,
  /** Chooses the zone in which she reads the hours. */
  timeZone: `${OWN_PAGE_PATH}/time-zone`,
  /** Shows the form for the questions of her edition; a POST saves the answers. */
  questions: `${OWN_PAGE_PATH}/questions`,
  /** Asks for the proof; a POST undoes a cancellation. */
  undo: `${OWN_PAGE_PATH}/undo`,
  /** The same for dropping a new address that she has not confirmed. */
  addressDropped: `${OWN_PAGE_PATH}/address/dropped`,
  /** Confirms the new address, by the token of the link. */
  addressConfirmed: `${OWN_PAGE_PATH}/address/confirm`,
  /** Shows what handing her place over means; a POST agrees to it, or keeps the place. */
  handOver: `${OWN_PAGE_PATH}/hand-over`,
  /** Shows her payment plan; a POST agrees to it. */
  plan: `${OWN_PAGE_PATH}/plan`,
  /** Shows a place that is handed over, after its link; a POST accepts it. */
  takePlace: `${OWN_PAGE_PATH}/take`,
  /** Leads who accepts a place to Stripe, where she enters her card; `takersGo` leads on. */
  takersCard: `${OWN_PAGE_PATH}/take/card`,
  takersGo: `${OWN_PAGE_PATH}/take/go`,
} as const;
