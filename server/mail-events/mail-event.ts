/** An event of a mail provider about a letter that it was to deliver. */
export interface MailEvent {
  /** `complaint`: the reader of the letter marked it as spam. */
  type: 'bounce' | 'complaint';
  /**
   * True: the address accepts no letters. False: only this letter is lost, and the provider does not retry
   * it.
   */
  permanent: boolean;
  /** The address to which the letter was sent. */
  address: string;
  messageId?: string;
  at: Date;
}

/** The events of a request, and how many further ones in it cannot be read. */
export interface ReadEvents {
  events: readonly MailEvent[];
  unreadable: number;
}

/** Verifies the signature of a request, and reads its events. */
export interface MailEventSource {
  /** The largest body that the provider sends. */
  mostBytes: number;
  /**
   * Checks what the headers of a request show without its body; the returned function verifies the body, and reads it.
   * @throws {SignatureError} when the headers are missing, malformed or too old; later, when the body is not signed or
   *   not JSON
   */
  reader(header: (name: string) => string): (body: Buffer) => ReadEvents;
}

/** A request that is not accepted; the message says why. */
export class SignatureError extends Error {}
