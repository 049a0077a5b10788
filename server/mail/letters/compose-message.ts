import { type CalendarFile, createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import type { MailJob } from '#server/mail/job.ts';
import { mailFrame, officeMail } from '#shared/content/mails.ts';
import { letterHtml } from './html/letter-html.tsx';
import { type Letter, letterText } from './letter.ts';
import { linkedWords, type MessageContext, mailLink, pageUrlOf } from './links.ts';
import { cleanName, fullName, safeName, shortName, withProbableNames } from './names.ts';
import { officeChange, officeNotice, officePaid } from './office-notices.ts';
import { registrationReceived } from './registration-received.ts';
import { welcome } from './welcome.ts';

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

/** The mail that a job stands for, but for its `From` and `Message-ID`. */
export function composeMessage(job: MailJob, context: MessageContext): Message {
  switch (job.kind) {
    case 'registration-received': {
      const careful = withProbableNames(job);
      return toRegistrant(careful, registrationReceived(careful, context), context);
    }
    case 'welcome':
      return {
        ...toRegistrant(job, welcome(job, context), context),
        attachments: [calendarAttachment(context)],
      };
    case 'office-notice':
      return toOffice(job, officeNotice(job, context), context);
    case 'office-change':
      return toOffice(job, officeChange(job, context), context);
    case 'office-paid':
      return toOffice(job, officePaid(job, context), context);
  }
}

/** A letter about her own registration is no mailing list: it says where to ask for help, and nothing to leave. */
function toRegistrant(job: MailJob, letter: Letter, context: MessageContext): Message {
  return {
    ...readings(letter, context),
    to: { name: safeName(fullName(job)), address: job.email },
    replyTo: officeAddress(context),
    headers: { ...HEADERS },
    list: { help: { url: mailLink(context.office.email), comment: mailFrame.officeName } },
  };
}

function toOffice(job: MailJob, letter: Letter, context: MessageContext): Message {
  const id = `registrations.${new URL(context.siteUrl).hostname}`;
  return {
    ...readings(letter, context),
    to: officeAddress(context),
    replyTo: { name: shortName(job), address: job.email },
    headers: { ...HEADERS },
    list: { id: { url: id, comment: officeMail.listName } },
  };
}

function readings(letter: Letter, context: MessageContext): Pick<Message, 'subject' | 'html' | 'text'> {
  return {
    subject: cleanName(letter.subject),
    html: letterHtml(letter, linkedWords(context)),
    text: letterText(letter),
  };
}

function officeAddress({ office }: MessageContext): MailAddress {
  return { name: mailFrame.officeName, address: office.email };
}

/** By the page's address; a process knows one. */
const calendars = new Map<string, CalendarFile>();

function calendarAttachment(context: MessageContext): MailAttachment {
  const pageUrl = pageUrlOf(context);
  const calendar = calendars.get(pageUrl) ?? createRetreatCalendar(pageUrl);
  calendars.set(pageUrl, calendar);
  const { fileName, content } = calendar;
  return { filename: fileName, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}
