import type { PersonMail, RegistrationMail } from '#server/mail/job.ts';
import { mailLink } from '#shared/mail-link.ts';
import { oncePer } from '#shared/once-per.ts';
import { phoneLink } from '#shared/phone-number.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import type { Said } from './letter-kind.ts';
import { type Fact, paragraph } from './render/letter.ts';
import { type MessageContext, officePageOf } from './render/links.ts';
import { cleanName, fullName, isolate } from './render/names.ts';

/** Texts of several notices to the office. */
export const officeWords = {
  deposit: 'Deposit',
  notGiven: 'not given',
  reply: (name: string) => `If you reply to this e-mail, your reply goes to ${name}.`,
} as const;

/** The parts of a notice that differ from the other notices. */
interface Notice {
  preheader: string;
  title: string;
  intro: (name: string) => string;
  /** The state of its payment. */
  facts: readonly Fact[];
}

/** A notice to the office about one registration: who it is, the state of the payment, and the link to it. */
export function noticeToOffice(
  letter: RegistrationMail,
  context: MessageContext,
  { preheader, title, intro, facts }: Notice,
): Said {
  const name = isolate(fullName(letter));
  const { paymentIntentId: id } = letter;
  const paymentUrl = `https://dashboard.stripe.com/payments/${id}`;
  const page = officePageOf(context, id);
  return {
    preheader,
    title,
    blocks: [
      paragraph(intro(name)),
      {
        kind: 'facts',
        facts: [...personFacts(letter), ...facts, { label: 'Payment', value: id, href: paymentUrl }],
      },
      page
        ? { kind: 'button', label: 'Open her registration', href: page }
        : { kind: 'button', label: 'Open the payment at Stripe', href: paymentUrl },
      paragraph(officeWords.reply(name)),
    ],
  };
}

const zoneName = oncePer(formatTimeZone);

/** Who somebody is, and how to reach her. */
export function personFacts({ email, phoneNumber, timeZone, ...names }: PersonMail): Fact[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: 'Name', value: isolate(fullName(names)), strong: true },
    { label: 'E-mail', value: isolate(email), href: mailLink(cleanName(email)) },
    phone
      ? { label: 'Phone', value: isolate(phone), href: phoneLink(phone) }
      : { label: 'Phone', value: officeWords.notGiven },
    ...(timeZone && isKnownTimeZone(timeZone) ? [{ label: 'Time zone', value: zoneName(timeZone) }] : []),
  ];
}
