import { type CalendarFile, createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import type { MailJob } from '#server/mail/job.ts';
import { edition as editionOnSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { mailFrame, officeMail } from '#shared/content/mails.ts';
import { letterHtml } from './html/letter-html.tsx';
import { type Letter, letterText } from './letter.ts';
import { linkedWords, type MessageContext, mailLink, pageUrlOf } from './links.ts';
import { cleanName, fullName, safeName, shortName, withProbableNames } from './names.ts';
import { officeChange, officeNotice, officePaid } from './office-notices.ts';
import { registrationReceived } from './registration-received.ts';
import { welcome } from './welcome.ts';

interface LetterContext extends MessageContext {
  edition: Edition;
}

/** A person and her address, kept apart so that neither can pass for the other in a header. */
interface MailAddress {
  name: string;
  address: string;
}

export interface MailAttachment {
  filename: string;
  content: string;
  contentType: string;
}

/** Everything of a mail but its `From` and `Message-ID`, as nodemailer takes it. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments?: MailAttachment[];
  headers: Record<string, string>;
  list: Record<string, { url: string; comment: string }>;
}

/** A program wrote the mail: no out-of-office note should answer it. @see RFC 3834, 5 */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' };

/**
 * The mail that a job stands for, except its `From` and `Message-ID`, in the words of the edition that its payment names.
 * @throws {Error} for an edition that this release does not know: another release may send it
 */
export function composeMessage(job: MailJob, context: MessageContext): Message {
  const edition = job.edition === undefined ? editionOnSale : findEdition(job.edition);
  if (!edition) throw new Error(`This release does not know the edition ${job.edition}`);
  const letter = { edition, ...context };
  switch (job.kind) {
    case 'registration-received': {
      const careful = withProbableNames(job);
      return toRegistrant(careful, registrationReceived(careful, edition, context), letter);
    }
    case 'welcome':
      return {
        ...toRegistrant(job, welcome(job, edition, context), letter),
        attachments: [calendarAttachment(letter)],
      };
    case 'office-notice':
      return toOffice(job, officeNotice(job, edition, context), letter);
    case 'office-change':
      return toOffice(job, officeChange(job, edition, context), letter);
    case 'office-paid':
      return toOffice(job, officePaid(job, edition, context), letter);
  }
}

/** A letter about her own registration is no mailing list: it says where to ask for help, and nothing to leave. */
function toRegistrant(job: MailJob, letter: Letter, context: LetterContext): Message {
  return {
    ...readings(letter, context),
    to: { name: safeName(fullName(job)), address: job.email },
    replyTo: officeAddress(context),
    headers: { ...HEADERS },
    list: {
      help: { url: mailLink(context.office.email), comment: mailFrame.officeName(context.edition.facts) },
    },
  };
}

function toOffice(job: MailJob, letter: Letter, context: LetterContext): Message {
  const id = `registrations.${new URL(context.siteUrl).hostname}`;
  return {
    ...readings(letter, context),
    to: officeAddress(context),
    replyTo: { name: shortName(job), address: job.email },
    headers: { ...HEADERS },
    list: { id: { url: id, comment: officeMail.listName } },
  };
}

function readings(letter: Letter, context: LetterContext): Pick<Message, 'subject' | 'html' | 'text'> {
  return {
    subject: cleanName(letter.subject),
    html: letterHtml(letter, context.edition, linkedWords(context)),
    text: letterText(letter),
  };
}

function officeAddress({ office, edition }: LetterContext): MailAddress {
  return { name: mailFrame.officeName(edition.facts), address: office.email };
}

/** By the edition, and the page's address. */
const calendars = new Map<string, CalendarFile>();

function calendarAttachment({ edition, ...context }: LetterContext): MailAttachment {
  const pageUrl = pageUrlOf(context);
  const key = `${edition.facts.id} ${pageUrl}`;
  const calendar = calendars.get(key) ?? createRetreatCalendar(edition, pageUrl);
  calendars.set(key, calendar);
  const { fileName, content } = calendar;
  return { filename: fileName, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}
