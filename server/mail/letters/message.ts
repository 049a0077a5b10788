import type { Office } from '#server/config/office.ts';

/** What every message may speak of. */
export interface MessageContext {
  office: Office;
  /** The site's own address. */
  siteUrl: string;
}

/** A person and her address, kept apart so that neither can pass for the other in a header. */
export interface MailAddress {
  name: string;
  address: string;
}

export interface MailAttachment {
  filename: string;
  content: string;
  contentType: string;
}

/** Everything of a mail but its `From` and `Message-ID`, as nodemailer takes it. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments?: MailAttachment[];
  headers: Record<string, string>;
  list: Record<string, { url: string; comment: string }>;
}
