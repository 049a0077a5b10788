import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import {
  addresseeOf,
  goesToOffice,
  isAboutPerson,
  isAboutRegistration,
  isAboutWaiting,
  type MailJob,
  type MailKind,
  type MailOf,
  type PersonMail,
} from '#server/mail/job.ts';
import type { MailAddress, MailAttachment, Message } from '#server/mail/send-mail.ts';
import { asAgreed } from '#shared/content/as-agreed.ts';
import { edition as editionOnSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { mailLink } from '#shared/mail-link.ts';
import { oncePer } from '#shared/once-per.ts';
import type { Said, Words } from './letter-kind.ts';
import { SAMPLE_NAME } from './message.ts';
import { letterHtml } from './render/html/letter-html.ts';
import { type Letter, letterText, paragraph } from './render/letter.ts';
import { leaveUrlOf, linkedWords, type MessageContext, pageUrlOf } from './render/links.ts';
import { cleanName, fullName, isolate, safeName, shortName, withProbableNames } from './render/names.ts';
import { letterTable } from './table.ts';

/** Says that a program wrote the mail, so that no out-of-office reply answers it. @see RFC 3834, 5 */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' };

/** What a mail client posts to the address of `List-Unsubscribe`. */
const ONE_CLICK = 'List-Unsubscribe=One-Click';

/** The name that a mailbox rule can sort the notices to the office by. */
const LIST_NAME = 'Registrations';

/**
 * The mail for a job, without `From` and `Message-ID`, with the texts of the edition that the job names.
 * @throws {Error} for an edition that this release does not know: another release may send it
 */
export function composeMessage(job: MailJob, context: MessageContext): Message {
  const named = job.edition === undefined ? editionOnSale : findEdition(job.edition);
  if (!named) throw new Error(`This release does not know the edition ${job.edition}`);
  const edition = isAboutRegistration(job) ? asAgreed(named, job.agreed) : named;
  const mail = withDisclosableNames(job);
  const letter = composeLetter(mail, edition, context);
  if (!isAboutPerson(mail)) return toOffice(letter, edition, context);
  if (goesToOffice(mail)) return toOffice(letter, edition, context, mail);
  const message = toRegistrant(mail, letter, edition, context);
  return letterTable[mail.kind].hasCalendar
    ? { ...message, attachments: [calendarAttachment(edition, context)] }
    : message;
}

/** A mail as a letter, whole but for what its headers say. */
export function composeLetter(mail: MailJob, edition: Edition, context: MessageContext): Letter {
  const { subject, said } = write(mail.kind, mail, edition, context);
  const reader = readerOf(mail);
  return reader
    ? letterToHer(subject, said, reader, edition, context)
    : letterToOffice(subject, said, edition, context);
}

/** Whom a letter greets; undefined for one that is written to the office. */
function readerOf(mail: MailJob): Pick<PersonMail, 'firstName'> | undefined {
  if (mail.kind === 'message-test') return { firstName: SAMPLE_NAME };
  return isAboutPerson(mail) && !goesToOffice(mail) ? mail : undefined;
}

interface Composition<Kind extends MailKind> extends Words<Kind> {
  subject(edition: Edition, letter: MailOf<Kind>): string;
}
const compositions: { readonly [Kind in MailKind]: Composition<Kind> } = letterTable;

function write<Kind extends MailKind>(
  kind: Kind,
  mail: MailOf<Kind>,
  edition: Edition,
  context: MessageContext,
): { subject: string; said: Said } {
  const composition: Composition<Kind> = compositions[kind];
  return { subject: composition.subject(edition, mail), said: composition.says(mail, edition, context) };
}

/** A letter to somebody who has a place or waits for one, from the greeting to the reason why it came. */
function letterToHer(
  subject: string,
  { questions, closing = 'Warmly,', reason, ...said }: Said,
  { firstName }: Pick<PersonMail, 'firstName'>,
  { facts }: Edition,
  context: MessageContext,
): Letter {
  const { legalName, postalAddress, email, phone } = context.office;
  const name = isolate(safeName(cleanName(firstName)));
  const ask = `If anything is unclear, reply to this e-mail, write to ${email} or call ${phone}.`;
  const reserved = `You received this e-mail because you reserved a place at ${pageUrlOf(context)}.`;
  return {
    ...{ ...said, subject },
    blocks: [
      // The name is empty if the one that was entered looks like a link.
      paragraph(name ? `Dear ${name},` : 'Hello,'),
      ...said.blocks,
      paragraph(questions ?? ask),
      paragraph(`${closing}\n${facts.siteName}`),
    ],
    signature: [legalName, postalAddress, email, phone].filter(Boolean).join('\n'),
    reason: reason ?? reserved,
  };
}

function letterToOffice(
  subject: string,
  { reason, ...said }: Said,
  { facts }: Edition,
  context: MessageContext,
): Letter {
  const noticed = `${pageUrlOf(context)} sends you a notice when somebody enters contact details, when they change, when a deposit is paid, when somebody cancels, and when somebody joins the waiting list.`;
  return { ...said, subject, signature: facts.siteName, reason: reason ?? noticed };
}

/** Removes names from letters to unconfirmed addresses, and gives those to another person her own name. */
function withDisclosableNames(job: MailJob): MailJob {
  const { names } = letterTable[job.kind];
  if ('addressee' in job) return withProbableNames({ ...job, ...job.addressee });
  if (!names || !isAboutPerson(job)) return job;
  return names === 'none' ? { ...job, firstName: '', lastName: '' } : withProbableNames(job);
}

/**
 * A letter about her own registration is not a mailing list: it says where to ask for help, and has no
 * unsubscribe link. A letter about the waiting list has one, also for one click in the mail client.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
function toRegistrant(job: PersonMail, letter: Letter, edition: Edition, context: MessageContext): Message {
  return {
    ...readings(letter, edition, context),
    to: { name: safeName(fullName(job)), address: addresseeOf(job) },
    replyTo: officeAddress(edition, context),
    headers: { ...HEADERS, ...(isAboutWaiting(job) && { 'List-Unsubscribe-Post': ONE_CLICK }) },
    list: {
      help: { url: mailLink(context.office.email), comment: officeName(edition) },
      ...(isAboutWaiting(job) && { unsubscribe: { url: leaveUrlOf(job, edition, context) } }),
    },
  };
}

/** @param about the registrant to whom a reply goes; without it, replies go to the office */
function toOffice(letter: Letter, edition: Edition, context: MessageContext, about?: PersonMail): Message {
  const id = `registrations.${new URL(context.siteUrl).hostname}`;
  return {
    ...readings(letter, edition, context),
    to: officeAddress(edition, context),
    replyTo: about ? { name: shortName(about), address: about.email } : officeAddress(edition, context),
    headers: { ...HEADERS },
    list: { id: { url: id, comment: LIST_NAME } },
  };
}

function readings(
  letter: Letter,
  edition: Edition,
  context: MessageContext,
): Pick<Message, 'subject' | 'html' | 'text'> {
  return {
    subject: cleanName(letter.subject),
    html: letterHtml(letter, edition, linkedWords(context)),
    text: letterText(letter),
  };
}

const officeName = ({ facts }: Edition): string => `${facts.siteName} office`;

function officeAddress(edition: Edition, { office }: MessageContext): MailAddress {
  return { name: officeName(edition), address: office.email };
}

function calendarAttachment(edition: Edition, context: MessageContext): MailAttachment {
  const { fileName, content } = calendarsOf(edition)(pageUrlOf(context));
  return { filename: fileName, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}

const calendarsOf = oncePer((edition: Edition) =>
  oncePer((pageUrl: string) => createRetreatCalendar(edition, pageUrl)),
);
