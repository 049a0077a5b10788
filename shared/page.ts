/** How to reach the retreat office; comes from configuration. */
export interface OfficeContact {
  officeEmail: string;
  officePhone: string;
  /** Null where people cannot cancel by fax. */
  officeFax: string | null;
  /** On one line; null where people cannot cancel by post. */
  officePostalAddress: string | null;
  /** The legal name of who runs the retreat; null where it is not told. */
  officeLegalName: string | null;
}

/** How the balance follows a deposit: on the edition's own day, so many days later, or when the office asks for it. */
export type BalanceTiming = 'on-due-day' | 'days-after-deposit' | 'asked-for';

/** What the page needs to know of the running site: configuration that is safe to publish. */
export interface SiteState extends OfficeContact {
  /** Whether registrations are taken at the moment of the render. */
  registrationOpen: boolean;
  /** The day on which they will be, for people; absent once that is past. */
  registrationOpensOn?: string;
  /** All places are taken or spoken for: the stepper is a waiting list. Absent while there are places. */
  isFull?: true;
  /** How the balance follows a deposit that is paid now; absent for the edition's own day. */
  balanceTiming?: BalanceTiming;
  stripePublishableKey: string;
  /** Another address for Stripe.js, or null for Stripe's own host. */
  stripeScriptUrl: string | null;
  /** The measurement pixel's id, or null where nothing is measured (R6.1). */
  metaPixelId: string | null;
  /** Another address for the pixel's script, or null for its own host. */
  metaPixelScriptUrl: string | null;
}

/** The id of the element that holds the serialised store state. */
export const STATE_ELEMENT_ID = 'page-state';

/** The id of the element that names the scripts which follow the first one. */
export const SCRIPTS_ELEMENT_ID = 'scripts';

/** Addresses, under the names that the build gave the files. */
export interface Scripts {
  library: string;
  application: string;
  /** All that these two import. */
  imports: string[];
  /** What follows once a visitor comes near the stepper. */
  stepper: string[];
}

/** The id of the panel that says what is kept of a visitor, and of the place in it for her choice. */
export const PRIVACY_PANEL_ID = 'privacy';
export const CONSENT_CHOICE_ID = 'consent-choice';

/** The id of the notice that the application did not arrive. */
export const START_FAILED_ID = 'start-failed';

/** The id of the page's last section, which every call to action leads to. */
export const REGISTER_SECTION_ID = 'register-stepper';

/** The id of the payment and cancellation policies, wherever the registration stands. */
export const POLICIES_ID = 'policies';

/** The id of what the retreat costs. */
export const TUITION_ID = 'tuition';

/** Names, in the query of the letter's link, the payment whose registration is to be gone on with. */
export const LETTER_QUERY = 'finish';

/** For so many days a browser can go on with a registration that has its payment, in another tab too. */
export const UNFINISHED_KEPT_DAYS = 2;

/** The language of all that visitors read, as HTML and Open Graph name it. */
export const PAGE_LANGUAGE = 'en';
export const PAGE_LOCALE = 'en_US';
