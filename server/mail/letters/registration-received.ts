import type { MailJob } from '#server/mail/job.ts';
import type { Edition } from '#shared/content/edition.ts';
import { mailFrame, registrationReceivedMail } from '#shared/content/mails.ts';
import { LETTER_QUERY, REGISTER_SECTION_ID } from '#shared/page.ts';
import { type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { pageUrlOf } from './links.ts';
import { cleanName, isolate, safeName } from './names.ts';

type ReceivedJob = Extract<MailJob, { kind: 'registration-received' }>;

/** To the registrant, as soon as the contact step is done (R5.3). */
export function registrationReceived(job: ReceivedJob, { facts }: Edition, context: MessageContext): Letter {
  const words = registrationReceivedMail(facts);
  const pageUrl = pageUrlOf(context);
  const { preheader, title, paragraphs, resume, questions, reason } = job.addressHasPlace
    ? words.anotherPlace
    : words.firstPlace;
  return {
    subject: words.subject,
    preheader,
    title,
    blocks: [
      paragraph(mailFrame.greeting(isolate(safeName(cleanName(job.firstName))))),
      ...paragraphs.map(paragraph),
      { kind: 'button', label: resume, href: wayBack(pageUrl, job) },
      paragraph(questions(context.office)),
      paragraph(`${words.closing}\n${facts.siteName}`),
    ],
    signature: mailFrame.reach(context.office),
    reason: reason(pageUrl),
  };
}

/**
 * The URL of the stepper. The payment's id is not a secret: it only finds what the registrant's own browser
 * has stored.
 */
function wayBack(pageUrl: string, { paymentIntentId }: ReceivedJob): string {
  const url = new URL(pageUrl);
  url.searchParams.set(LETTER_QUERY, paymentIntentId);
  url.hash = REGISTER_SECTION_ID;
  return url.href;
}
