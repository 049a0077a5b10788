import { linksEndAt } from '#server/links/own-page-links.ts';
import type { PersonMail, RegistrationMail } from '#server/mail/job.ts';
import { balanceMail } from '#shared/content/balance-mails.ts';
import type { Edition } from '#shared/content/edition.ts';
import { mailFrame } from '#shared/content/mails.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { type Block, type Letter, paragraph } from './letter.ts';
import { type MessageContext, pageUrlOf } from './links.ts';
import { cleanName, isolate, safeName } from './names.ts';

/** The parts of a letter that differ from the other letters. */
export interface Said extends Pick<Letter, 'subject' | 'preheader' | 'title'> {
  blocks: readonly Block[];
  /** Whom to ask, if the text differs from that of most letters. */
  questions?: string;
  /** Why the letter came, if the reason is not that she has a place. */
  reason?: string;
}

/** A letter to somebody who has a place or waits for one, from the greeting to the reason why it came. */
export function letterToHer(
  { blocks, questions, reason, ...head }: Said,
  job: PersonMail,
  { facts }: Edition,
  context: MessageContext,
): Letter {
  return {
    ...head,
    blocks: [
      paragraph(mailFrame.greeting(isolate(safeName(cleanName(job.firstName))))),
      ...blocks,
      paragraph(questions ?? balanceMail.questions(context.office)),
      paragraph(`${balanceMail.closing}\n${facts.siteName}`),
    ],
    signature: mailFrame.reach(context.office),
    reason: reason ?? balanceMail.reason(pageUrlOf(context)),
  };
}

/** The date of a moment in the retreat's time zone. */
export function dayOf(moment: string, { timetable }: Edition): string {
  return formatDate(dateAt(new Date(moment), timetable.timeZone.id));
}

/**
 * The button to her own page. Its link is made when the letter is rendered, so that no link is stored on a
 * queue.
 */
export function ownPageButton(
  { paymentIntentId: deposit, linksEpoch: epoch = 0 }: RegistrationMail,
  edition: Edition,
  { links }: MessageContext,
): Block {
  const href = links.url({ deposit, epoch, expiresAt: linksEndAt(edition.facts) });
  return { kind: 'button', label: balanceMail.ownPage, href };
}
