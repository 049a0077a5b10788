/** What every message may speak of. */
export interface MessageContext {
  office: { email: string; phone: string };
  /** The site's own address. */
  siteUrl: string;
}

/** A mail's subject and its two readings of one text. */
export interface Message {
  subject: string;
  html: string;
  text: string;
}
