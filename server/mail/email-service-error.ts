interface EmailServiceErrorOptions extends ErrorOptions {
  /** The HTTP status, when the service answered. */
  responseCode?: number;
}

/** Answers that may be others later: a slow client, a retry too early, too many requests. @see RFC 9110, 15.5 */
const TEMPORARY_STATUSES = [408, 425, 429];

/**
 * The e-mail service did not take a mail. Its fields are named as those of nodemailer's errors, for the log; the
 * message may hold the service's own words, and so an address.
 */
export class EmailServiceError extends Error {
  readonly code = 'EEMAILSERVICE';
  readonly responseCode: number | undefined;

  constructor(message: string, { responseCode, ...options }: EmailServiceErrorOptions = {}) {
    super(message, options);
    this.name = 'EmailServiceError';
    this.responseCode = responseCode;
  }

  /** Whether the mail will never be taken as it is (4xx); network errors, timeouts, 5xx and redirects may pass. */
  get permanent(): boolean {
    const status = this.responseCode ?? 0;
    return status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status);
  }
}
