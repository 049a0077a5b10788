import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import {
  addresseeOf,
  goesToOffice,
  isAboutRegistration,
  isAboutWaiting,
  type MailJob,
  type MailKind,
  type MailOf,
  type PersonMail,
} from '#server/mail/job.ts';
import { asAgreed } from '#shared/content/as-agreed.ts';
import { edition as editionOnSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { mailFrame, officeMail } from '#shared/content/mails.ts';
import { mailLink } from '#shared/mail-link.ts';
import { oncePer } from '#shared/once-per.ts';
import { addressChanged, confirmAddress } from './address-letters.ts';
import { recordings, scheduleChanged } from './announced-letters.ts';
import { cancelComplete, cancelReceived, cancelUndone } from './cancel-letters.ts';
import { announceCharge, cardExpires } from './charge-letters.ts';
import { letterHtml } from './html/letter-html.ts';
import { type Letter, letterText } from './letter.ts';
import { linkedWords, type MessageContext, pageUrlOf } from './links.ts';
import { cleanName, fullName, safeName, shortName, withProbableNames } from './names.ts';
import { officeCancel, officeCancelUndone } from './office-cancel.ts';
import { officeDigest } from './office-digest.ts';
import { officeChange, officeNotice, officePaid } from './office-notices.ts';
import { balanceFailed, ownPageLink, pleasePay } from './payment-letters.ts';
import { balancePaid } from './receipt.ts';
import { refundFailed, refundMade, secondPayment } from './refund-letters.ts';
import { registrationReceived } from './registration-received.ts';
import { testSession, wayIn } from './retreat-letters.ts';
import { leaveUrlOf, officeWaiting, placeOffered, waitingReceived } from './waiting-letters.ts';
import { welcome } from './welcome.ts';

/** A name and an address, in separate fields so that neither can pass for the other in a header. */
interface MailAddress {
  name: string;
  address: string;
}

interface MailAttachment {
  filename: string;
  content: string;
  contentType: string;
}

/** Everything in a mail except its `From` and `Message-ID`, in the form that nodemailer takes. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments?: MailAttachment[];
  headers: Record<string, string>;
  list: Record<string, { url: string; comment?: string }>;
}

/** Says that a program wrote the mail, so that no out-of-office reply answers it. @see RFC 3834, 5 */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' };

/** What a mail client posts to the address of `List-Unsubscribe`. */
const ONE_CLICK = 'List-Unsubscribe=One-Click';

/**
 * The mail for a job, without `From` and `Message-ID`, with the texts of the edition that the job names.
 * @throws {Error} for an edition that this release does not know: another release may send it
 */
export function composeMessage(job: MailJob, context: MessageContext): Message {
  const named = job.edition === undefined ? editionOnSale : findEdition(job.edition);
  if (!named) throw new Error(`This release does not know the edition ${job.edition}`);
  const edition = isAboutRegistration(job) ? asAgreed(named, job.agreed) : named;
  const mail = withDisclosableNames(job);
  const letter = write(mail.kind, mail, edition, context);
  if (mail.kind === 'office-digest') return toOffice(letter, edition, context);
  if (goesToOffice(mail)) return toOffice(letter, edition, context, mail);
  const message = toRegistrant(mail, letter, edition, context);
  return mail.kind === 'welcome' || mail.kind === 'schedule-changed'
    ? { ...message, attachments: [calendarAttachment(edition, context)] }
    : message;
}

/** The composer of each kind of mail; `mailRules` says to whom it goes. */
const composers: {
  [Kind in MailKind]: (job: MailOf<Kind>, edition: Edition, context: MessageContext) => Letter;
} = {
  'registration-received': registrationReceived,
  'office-notice': officeNotice,
  'office-change': officeChange,
  welcome,
  'second-payment': secondPayment,
  'office-paid': officePaid,
  'balance-notice': announceCharge,
  'balance-reminder': announceCharge,
  'balance-postponed': announceCharge,
  'card-expires': cardExpires,
  'please-pay': pleasePay,
  'balance-failed': balanceFailed,
  'balance-paid': balancePaid,
  'cancel-received': cancelReceived,
  'office-cancel': officeCancel,
  'cancel-undone': cancelUndone,
  'office-cancel-undone': officeCancelUndone,
  cancelled: cancelComplete,
  'refund-failed': refundFailed,
  'refund-made': refundMade,
  'test-session': testSession,
  'way-in': wayIn,
  'confirm-address': confirmAddress,
  'address-changed': addressChanged,
  'schedule-changed': scheduleChanged,
  recordings,
  'place-link': ownPageLink,
  'waiting-received': waitingReceived,
  'office-waiting': officeWaiting,
  'place-offered': placeOffered,
  'office-digest': officeDigest,
};

function write<Kind extends MailKind>(
  kind: Kind,
  job: MailOf<Kind>,
  edition: Edition,
  context: MessageContext,
): Letter {
  return composers[kind](job, edition, context);
}

/**
 * Removes names from letters to unconfirmed addresses: the holder of such an address must not learn who is
 * registered, nor get a message disguised as a name.
 */
function withDisclosableNames(job: MailJob): MailJob {
  if (job.kind === 'confirm-address') return { ...job, firstName: '', lastName: '' };
  const isUnconfirmed = job.kind === 'registration-received' || job.kind === 'waiting-received';
  return isUnconfirmed ? withProbableNames(job) : job;
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
      help: { url: mailLink(context.office.email), comment: mailFrame.officeName(edition.facts) },
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
    list: { id: { url: id, comment: officeMail.listName } },
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

function officeAddress({ facts }: Edition, { office }: MessageContext): MailAddress {
  return { name: mailFrame.officeName(facts), address: office.email };
}

function calendarAttachment(edition: Edition, context: MessageContext): MailAttachment {
  const { fileName, content } = calendarsOf(edition)(pageUrlOf(context));
  return { filename: fileName, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}

const calendarsOf = oncePer((edition: Edition) =>
  oncePer((pageUrl: string) => createRetreatCalendar(edition, pageUrl)),
);
