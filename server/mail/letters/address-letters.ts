import { confirmEndsAt } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import { addressChangedMail, confirmAddressMail } from '#shared/content/cancel-mails.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { type Letter, paragraph } from './letter.ts';
import { type MessageContext, pageUrlOf } from './links.ts';
import { fullName, isolate, safeName } from './names.ts';
import { letterToHer } from './to-her.ts';

/** To a new address that she asked for: the link that confirms it, made when the letter is rendered. */
export function confirmAddress(
  job: MailOf<'confirm-address'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = confirmAddressMail;
  const { paymentIntentId: deposit, linksEpoch: epoch = 0, to } = job;
  const asked = { to, at: new Date(job.at) };
  const until = tellMoment(confirmEndsAt(asked), edition.timetable, job.timeZone);
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(edition.facts)),
        { kind: 'button', label: words.confirm, href: context.links.confirmUrl({ deposit, epoch }, asked) },
        paragraph(words.until(until)),
        paragraph(words.notYou),
      ],
      reason: words.reason(pageUrlOf(context)),
    },
    job,
    edition,
    context,
  );
}

/**
 * To her previous address: which registration it was about, when it was changed and by whom, and what to do.
 */
export function addressChanged(
  job: MailOf<'address-changed'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = addressChangedMail;
  const name = isolate(safeName(fullName(job)));
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(edition.facts)),
        {
          kind: 'facts',
          facts: [
            ...(name ? [{ label: words.name, value: name }] : []),
            { label: words.reference, value: job.paymentIntentId },
            { label: words.to, value: isolate(masked(job.email)) },
            { label: words.when, value: tellMoment(new Date(job.at), edition.timetable, job.timeZone) },
            { label: words.by, value: words.who[job.by] },
          ],
        },
      ],
      questions: words.notYou(context.office),
      reason: words.reason(pageUrlOf(context)),
    },
    job,
    edition,
    context,
  );
}

/** `w•••@e•••.org`: enough for the owner to recognize it, too little to write to it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ending = domain.slice(domain.lastIndexOf('.') + 1);
  const [first = ''] = address;
  const [initial = ''] = domain;
  return `${first}•••@${initial}•••.${ending}`;
}
