/** What the command line can do, for whoever asks or errs. */
export const USAGE = `Usage: mails COMMAND …

  list [--failed | --waiting | --sent] [--limit N] [--json]
      The mails of the queue, newest first; 50 of each unless N says otherwise. Waiting are also those that are
      tried again later, and those being sent.
  show ID [--json]
      All about one mail, with the errors of its last attempts.
  retry ID
      Sends a failed mail again, with all its attempts; one that is tried again later is tried now.
  retry --all
      The same for all mails that failed or are tried again later.
  resend PAYMENT_INTENT KIND
      Sends a mail that was sent already once more, to the present address, if what it says is still true.
      KIND is registration-received, welcome, office-notice, office-change or office-paid.
  edit-address ID EMAIL
      Corrects the address of a registration, named by any of its mails or by its PAYMENT_INTENT, and sends what is due
      to the new one.
  dismiss ID
      Takes a failed or waiting mail off the queue for good; its payment records that.
  looked-at PAYMENT_INTENT
      Says that you see to a payment of which the log says that it needs a person.
  walk
      Has the worker look all registrations through, for mails that are owed.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail, 4 not possible in the mail's state, 5 Redis is away.
`;
