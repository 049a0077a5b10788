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
import { edition as editionOnSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import { mailLink } from '#shared/mail-and-phone.ts';
import { oncePer } from '#shared/once-per.ts';
import type { Said, Words } from './letter-kind.ts';
import { SAMPLE_NAME } from './message.ts';
import { blocksOf, type Letter, letterText } from './render/letter.ts';
import { letterHtml } from './render/letter-html.ts';
import { cleanName, fullName, isolate, safeName, shortName, withProbableNames } from './render/names.ts';
import { leaveUrlOf, linkedWords, type MessageContext, pageUrlOf, waysToAsk } from './render/parts.ts';
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
  const about = isAboutPerson(mail) ? mail : undefined;
  return {
    subject: cleanName(letter.subject),
    html: letterHtml(letter, edition, linkedWords(context)),
    text: letterText(letter),
    ...(about && !goesToOffice(mail)
      ? headToHer(about, edition, context)
      : headToOffice(about, edition, context)),
    ...(letterTable[mail.kind].hasCalendar && { attachments: [calendarAttachment(edition, context)] }),
  };
}

/** A mail as a letter, whole but for what its headers say. */
export function composeLetter(mail: MailJob, edition: Edition, context: MessageContext): Letter {
  const { questions, closing = 'Warmly,', blocks, ...said } = write(mail.kind, mail, edition, context);
  const { legalName, postalAddress, email, phone } = context.office;
  const { siteName } = edition.facts;
  const reader = readerOf(mail);
  if (!reader) {
    const noticed = `${pageUrlOf(context)} sends you a notice when someone enters contact details, when they change, when a deposit is paid, when someone cancels, and when someone joins the waiting list.`;
    return { reason: noticed, ...said, blocks: blocksOf(blocks), signature: siteName };
  }
  const name = isolate(safeName(cleanName(reader.firstName)));
  return {
    reason: `You received this e-mail because you reserved a place at ${pageUrlOf(context)}.`,
    ...said,
    blocks: blocksOf([
      // The name is empty if the one that was entered looks like a link.
      name ? `Dear ${name},` : 'Hello,',
      ...blocks,
      questions ?? `If anything is unclear, ${waysToAsk(context)}.`,
      `${closing}\n${siteName}`,
    ]),
    signature: [legalName, postalAddress, email, phone].filter(Boolean).join('\n'),
  };
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
): Said & { subject: string } {
  const composition: Composition<Kind> = compositions[kind];
  return { subject: composition.subject(edition, mail), ...composition.says(mail, edition, context) };
}

/** Removes names from letters to unconfirmed addresses, and gives those to another person her own name. */
function withDisclosableNames(job: MailJob): MailJob {
  const { names } = letterTable[job.kind];
  if ('addressee' in job) return withProbableNames({ ...job, ...job.addressee });
  if (!names || !isAboutPerson(job)) return job;
  return names === 'none' ? { ...job, firstName: '', lastName: '' } : withProbableNames(job);
}

type Head = Pick<Message, 'to' | 'replyTo' | 'headers' | 'list'>;

/**
 * A letter about her own registration is not a mailing list: it says where to ask for help, and has no
 * unsubscribe link. A letter about the waiting list has one, also for one click in the mail client.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
function headToHer(job: PersonMail, edition: Edition, context: MessageContext): Head {
  return {
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
function headToOffice(about: PersonMail | undefined, edition: Edition, context: MessageContext): Head {
  const office = officeAddress(edition, context);
  return {
    to: office,
    replyTo: about ? { name: shortName(about), address: about.email } : office,
    headers: { ...HEADERS },
    list: { id: { url: `registrations.${new URL(context.siteUrl).hostname}`, comment: LIST_NAME } },
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
