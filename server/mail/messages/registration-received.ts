import type { MailJob } from '#server/mail/job.ts';
import { mailFrame, registrationReceivedMail as words } from '#shared/content/mails.ts';
import { type Letter, paragraph } from './letter.ts';
import { pageUrlOf } from './links.ts';
import type { MessageContext } from './message.ts';
import { cleanName, isolate, safeName } from './names.ts';

const STEPPER = '#register-stepper';

/** To the registrant, as soon as the contact step is done (R5.3). */
export function registrationReceived({ firstName }: MailJob, context: MessageContext): Letter {
  const pageUrl = pageUrlOf(context);
  return {
    subject: words.subject,
    preheader: words.preheader,
    title: words.title,
    blocks: [
      paragraph(mailFrame.greeting(isolate(safeName(cleanName(firstName))))),
      paragraph(words.thanks),
      paragraph(words.deposit),
      paragraph(words.interrupted),
      { kind: 'button', label: words.resume, href: `${pageUrl}${STEPPER}` },
      paragraph(words.questions(context.office)),
      paragraph(`${words.closing}\n${mailFrame.signature}`),
    ],
    signature: mailFrame.reach(context.office),
    reason: words.reason(pageUrl),
  };
}
