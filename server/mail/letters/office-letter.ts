import type { MailJob } from '#server/mail/job.ts';
import { mailFrame, officeMail as words } from '#shared/content/mails.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import { type Fact, type Letter, paragraph } from './letter.ts';
import { mailLink, pageUrlOf, phoneLink } from './links.ts';
import type { MessageContext } from './message.ts';
import { cleanName, fullName, isolate, shortName } from './names.ts';

/** What one notice says that the others do not. */
interface Notice {
  subject: (name: string) => string;
  preheader: string;
  title: string;
  intro: (name: string) => string;
  /** How its payment stands. */
  facts: readonly Fact[];
}

/** A notice to the office about one registration: who it is, how its payment stands, and the way there. */
export function officeLetter(job: MailJob, notice: Notice, context: MessageContext): Letter {
  const name = isolate(fullName(job));
  const paymentUrl = `https://dashboard.stripe.com/payments/${job.paymentIntentId}`;
  const payment = { label: words.payment, value: job.paymentIntentId, href: paymentUrl };
  return {
    subject: notice.subject(shortName(job)),
    preheader: notice.preheader,
    title: notice.title,
    blocks: [
      paragraph(notice.intro(name)),
      { kind: 'facts', facts: [...registrantFacts(job), ...notice.facts, payment] },
      { kind: 'button', label: words.open, href: paymentUrl },
      paragraph(words.reply(name)),
    ],
    signature: mailFrame.signature,
    reason: words.reason(pageUrlOf(context)),
  };
}

function registrantFacts({ email, phoneNumber, timeZone, ...names }: MailJob): Fact[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: words.name, value: isolate(fullName(names)), strong: true },
    { label: words.email, value: isolate(email), href: mailLink(cleanName(email)) },
    phone
      ? { label: words.phone, value: isolate(phone), href: phoneLink(phone) }
      : { label: words.phone, value: words.notGiven },
    ...(timeZone && isKnownTimeZone(timeZone)
      ? [{ label: words.timeZone, value: formatTimeZone(timeZone) }]
      : []),
  ];
}
