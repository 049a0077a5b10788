import type { MailOf, WaitingMail } from '#server/mail/job.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officeMail } from '#shared/content/mails.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import {
  officeWaitingMail,
  placeOfferedMail,
  waitingMail,
  waitingReceivedMail,
} from '#shared/content/waiting-mails.ts';
import { type Block, type Letter, paragraph } from './letter.ts';
import { type MessageContext, officeWaitingPageOf, pageUrlOf } from './links.ts';
import { fullName, isolate, shortName } from './names.ts';
import { personFacts } from './office-notices.ts';
import { letterToHer, type Said } from './to-her.ts';

/** To her, as soon as her address was left with us: the button puts her on the waiting list. */
export function waitingReceived(
  job: MailOf<'waiting-received'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = waitingReceivedMail;
  const { facts, timetable } = edition;
  const { preheader, title } = words;
  const expiresAt = new Date(job.until);
  const href = context.waitingLinks.confirmUrl({ waitingId: job.waitingId, expiresAt });
  const blocks: Block[] = [
    paragraph(words.intro(facts)),
    paragraph(words.how(tellMoment(expiresAt, timetable, job.timeZone))),
    { kind: 'button', label: words.confirm, href },
    ...words.paragraphs.map(paragraph),
    ...(job.addressHasPlace ? [paragraph(words.addressHasPlace)] : []),
    paragraph(waitingMail.leaveHow),
  ];
  return letterToWaiting({ subject: words.subject(facts), preheader, title, blocks }, job, edition, context);
}

/**
 * To her, when a place is held for her. The link is made when the letter is rendered, so that none is stored
 * on a queue.
 */
export function placeOffered(
  job: MailOf<'place-offered'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = placeOfferedMail;
  const { facts, timetable } = edition;
  const expiresAt = new Date(job.until);
  const href = context.waitingLinks.offerUrl({ waitingId: job.waitingId, expiresAt });
  const until = tellMoment(expiresAt, timetable, job.timeZone);
  const blocks: Block[] = [
    paragraph(words.intro(facts)),
    paragraph(words.until(until)),
    paragraph(words.how(facts)),
    { kind: 'button', label: words.take, href },
    paragraph(words.notNow),
  ];
  const head = { subject: words.subject(facts), preheader: words.preheader(until), title: words.title };
  return letterToWaiting({ ...head, blocks }, job, edition, context);
}

/** To the office, when somebody has joined and confirmed it: who it is, and the link to the list. */
export function officeWaiting(
  job: MailOf<'office-waiting'>,
  { facts, timetable }: Edition,
  context: MessageContext,
): Letter {
  const { subject, preheader, title, intro, joined, open, command } = officeWaitingMail;
  const name = isolate(fullName(job));
  const page = officeWaitingPageOf(context);
  const said = [...personFacts(job), { label: joined, value: tellMoment(new Date(job.joinedAt), timetable) }];
  const way = page ? [] : [{ label: command, value: `support waiting --edition ${facts.id}` }];
  return {
    subject: subject(shortName(job)),
    preheader,
    title,
    blocks: [
      paragraph(intro(name, facts)),
      { kind: 'facts', facts: [...said, ...way] },
      ...(page ? [{ kind: 'button', label: open, href: page } as const] : []),
      paragraph(officeMail.reply(name)),
    ],
    signature: facts.siteName,
    reason: officeMail.reason(pageUrlOf(context)),
  };
}

/** The URL that takes her off the list; valid until the retreat is over. */
export function leaveUrlOf({ waitingId }: WaitingMail, { facts }: Edition, context: MessageContext): string {
  return context.waitingLinks.leaveUrl({ waitingId, expiresAt: new Date(facts.endsAt) });
}

/** A letter to somebody who waits, with the button to leave the list. */
function letterToWaiting(
  { blocks, ...head }: Said,
  job: WaitingMail,
  edition: Edition,
  context: MessageContext,
): Letter {
  const leave: Block = {
    kind: 'button',
    label: waitingMail.leave,
    href: leaveUrlOf(job, edition, context),
  };
  const questions = waitingMail.questions(context.office);
  const reason = waitingMail.reason(pageUrlOf(context));
  return letterToHer({ ...head, blocks: [...blocks, leave], questions, reason }, job, edition, context);
}
