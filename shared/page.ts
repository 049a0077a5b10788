/** What the page needs to know of the running site: configuration that is safe to publish. */
export interface SiteState {
  officeEmail: string;
  officePhone: string;
  /** Whether registrations are taken at the moment of the render. */
  registrationOpen: boolean;
  stripePublishableKey: string;
  /** Another address for Stripe.js, or null for Stripe's own host. */
  stripeScriptUrl: string | null;
}

/** The id of the element that holds the serialised store state, and of React's root. */
export const STATE_ELEMENT_ID = 'page-state';
export const ROOT_ELEMENT_ID = 'root';
