/** What the command line can do, for those who ask or give a wrong command. */
export const USAGE = `Usage: support COMMAND …

  list [--failed | --waiting | --sent] [--limit N] [--json]
      Lists the mails in the queue, newest first; 50 of each kind, or N. Waiting mails include those that will be
      tried again later and those that are being sent.
  show ID [--json]
      Shows everything about one mail, with the errors of its last attempts.
  retry ID
      Tries a failed mail again, with all its attempts, or tries a delayed mail now.
  retry --all
      Does the same for all failed and delayed mails.
  resend PAYMENT_INTENT KIND
      Sends a mail that was already sent once more, to the current address, if what it says is still true.
      KIND is registration-received, welcome, office-notice, office-change or office-paid.
  edit-address ID EMAIL
      Corrects the e-mail address of a registration and sends the mails that are due to the new one. ID is the ID of
      any of its mails, or its PAYMENT_INTENT.
  dismiss ID
      Removes a failed or waiting mail from the queue. It will not be sent; its payment records that.
  looked-at PAYMENT_INTENT
      Marks a payment as looked at, after the log said that it needs a person.
  walk
      Asks the worker to look through all registrations for mails that are due.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail, 4 not possible in the mail's state, 5 Redis not available.
`;
