import type { Edition } from '#shared/content/edition.ts';
import type { Attachment, Mail } from './letter-kind.ts';
import { blocksOf, type Letter, letterText } from './render/letter.ts';
import { EMBLEM_ID, letterHtml } from './render/letter-html.ts';
import { cleanName, fullName, isolate, safeName } from './render/names.ts';
import { linkedWords, type MessageContext, pageUrlOf, waysToAsk } from './render/parts.ts';
import { leaveUrlOf } from './waiting-letters.ts';

/** Says that a program wrote the mail, so that no out-of-office reply answers it. @see RFC 3834, 5 */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' };

/** What a mail client posts to the address of `List-Unsubscribe`. @see RFC 8058 */
const ONE_CLICK = 'List-Unsubscribe=One-Click';

/** A name and an address, in separate fields so that neither can pass for the other in a header. */
interface MailAddress {
  name: string;
  address: string;
}

/** Everything in a mail except its `From` and `Message-ID`, in the form that nodemailer takes. */
export interface Message {
  to: MailAddress;
  replyTo: MailAddress;
  subject: string;
  html: string;
  text: string;
  attachments: Attachment[];
  said: string | null;
  headers: Record<string, string>;
  list: { unsubscribe?: string };
}

export function composeMessage(mail: Mail, context: MessageContext): Message {
  const { attachments = [], ...said } = mail.write(context);
  const letter = letterOf(mail, said, context);
  return {
    subject: cleanName(letter.subject),
    html: letterHtml(letter, mail.edition, linkedWords(context)),
    text: letterText(letter),
    ...headOf(mail, context),
    attachments: [...attachments, emblemOf(mail.edition)],
    said: mail.isKept ? letterText(withoutLinks(letter)) : null,
  };
}

const emblemOf = ({ emblem }: Edition): Attachment => ({
  filename: 'door.png',
  content: emblem.png,
  encoding: 'base64',
  contentType: 'image/png',
  cid: EMBLEM_ID,
});

function withoutLinks(letter: Letter): Letter {
  return { ...letter, blocks: letter.blocks.filter(({ kind }) => kind !== 'button'), leave: undefined };
}

export function composeLetter(mail: Mail, context: MessageContext): Letter {
  return letterOf(mail, mail.write(context), context);
}

function letterOf(mail: Mail, said: ReturnType<Mail['write']>, context: MessageContext): Letter {
  const { questions, blocks, greets, leave, subject, title } = said;
  const { legalName, postalAddress, email, phone } = context.office;
  const { siteName } = mail.edition.facts;
  const pageUrl = pageUrlOf(context);
  const preheader = beginningOf(blocks.find((one) => typeof one === 'string') ?? '');
  const firstName = greets ?? (mail.toOffice ? undefined : mail.person?.firstName);
  if (firstName === undefined) {
    const reason = `${pageUrl} sends you a notice when someone enters contact details, when a deposit is paid, when someone cancels, and when someone joins the waiting list.`;
    return { reason, ...said, preheader, blocks: blocksOf(blocks), signature: siteName };
  }
  const name = isolate(safeName(cleanName(firstName)));
  return {
    subject,
    preheader,
    title,
    leave,
    reason: said.reason ?? `You received this e-mail because you reserved a place at ${pageUrl}.`,
    blocks: blocksOf([
      // The name is empty if the one that was entered looks like a link.
      name ? `Dear ${name},` : 'Hello,',
      ...blocks,
      questions ?? `If anything is unclear, ${waysToAsk(context)}.`,
      `Warmly,\n${siteName}`,
    ]),
    signature: [legalName, postalAddress, email, phone].filter(Boolean).join('\n'),
  };
}

const BEGINNING = 120;

function beginningOf(paragraph: string): string {
  const line = cleanName(paragraph);
  return line.length <= BEGINNING ? line : `${line.slice(0, BEGINNING).replace(/\s+\S*$/, '')} …`;
}

/**
 * A letter about her own registration is not a mailing list: it has no unsubscribe link. One about the
 * waiting list has, also for one click in the mail client (RFC 8058). A reply to what is written to the
 * office goes to whom it is about.
 */
function headOf(mail: Mail, context: MessageContext): Pick<Message, 'to' | 'replyTo' | 'headers' | 'list'> {
  const { isAboutWaiting, subject, edition, person, address, toOffice } = mail;
  const office = { name: `${edition.facts.siteName} office`, address: context.office.email };
  if (toOffice) {
    const replyTo = person ? { name: fullName(person), address: person.email } : office;
    return { to: office, replyTo, headers: HEADERS, list: {} };
  }
  if (!person) throw new Error(`${mail.id} goes to nobody`);
  const head = { to: { name: safeName(fullName(person)), address }, replyTo: office };
  if (!isAboutWaiting) return { ...head, headers: HEADERS, list: {} };
  const list = { unsubscribe: leaveUrlOf(subject, edition.facts, context) };
  return { ...head, headers: { ...HEADERS, 'List-Unsubscribe-Post': ONE_CLICK }, list };
}
