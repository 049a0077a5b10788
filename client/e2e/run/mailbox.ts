import * as v from 'valibot';

const mailSchema = v.object({
  subject: v.string(),
  text: v.string(),
  html: v.string(),
});

export type ReceivedMail = v.InferOutput<typeof mailSchema>;

/** The mails to an address in the mailbox, through its own API. */
export async function readMailsTo(address: string, mailboxUrl: string): Promise<ReceivedMail[]> {
  const response = await fetch(`${mailboxUrl}/api/email?to.address=${encodeURIComponent(address)}`);
  return v.parse(v.array(mailSchema), await response.json());
}
