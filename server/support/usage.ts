/** What the command line can do, for whoever asks or errs. */
export const USAGE = `Usage: mails COMMAND …

  list [--failed | --waiting | --sent] [--limit N] [--json]
      The mails of the queue, newest first; 50 of each unless N says otherwise. Waiting are also those that are
      tried again later, and those being sent.
  show ID [--json]
      All about one mail, with the error of every attempt.
  retry ID
      Sends a failed mail again, with all its attempts; one that is tried again later is tried now.
  retry --all
      The same for all mails that failed or are tried again later.
  resend PAYMENT_INTENT KIND
      Sends a mail that was sent already once more, to the same address.
      KIND is registration-received, office-notice or welcome.
  edit-address ID EMAIL
      Sends a failed or waiting mail to another address.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail, 4 not possible in the mail's state, 5 Redis is away.
`;
