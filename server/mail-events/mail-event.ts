/** What a mail provider tells of a letter that it was to deliver. */
export interface MailEvent {
  /** A complaint: its reader marked it as spam. */
  type: 'bounce' | 'complaint';
  /** The address takes no letters; else this one is lost, and the provider does not try it again. */
  permanent: boolean;
  /** To which it was sent. */
  address: string;
  messageId?: string;
  at: Date;
}

/** What a request held, and how many of its events cannot be read. */
export interface ReadEvents {
  events: readonly MailEvent[];
  unreadable: number;
}

/** Takes what is signed, and tells what it says. */
export interface MailEventSource {
  /** @throws {SignatureError} for what is not signed, or too old, or no JSON */
  read(body: Buffer, header: (name: string) => string): ReadEvents;
}

/** Why a request is not taken. */
export class SignatureError extends Error {}
