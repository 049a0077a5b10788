/** A name and an address, in separate fields so that neither can pass for the other in a header. */
export interface MailAddress {
  name: string;
  address: string;
}

export interface MailAttachment {
  filename: string;
  content: string;
  contentType: string;
}

/** Everything in a mail except its `From` and `Message-ID`, in the form that nodemailer takes. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments?: MailAttachment[];
  headers: Record<string, string>;
  list: Record<string, { url: string; comment?: string }>;
}

/** A mail as it is sent. */
export interface OutgoingMail extends Message {
  from: string;
  messageId: string;
  /** Cancels what is not sent yet. */
  signal?: AbortSignal;
}

/** What sends mails: connections to a mail server, or an HTTP service. */
export interface MailTransport {
  sendMail(mail: OutgoingMail): Promise<unknown>;
  close(): void;
}
