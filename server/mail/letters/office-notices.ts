import type { MailOf, PersonMail, RegistrationMail } from '#server/mail/job.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import {
  officeChangeMail,
  officeMail,
  officeNoticeMail,
  officePaidMail,
  officeMail as words,
} from '#shared/content/mails.ts';
import { mailLink } from '#shared/mail-link.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { phoneLink } from '#shared/phone-number.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import { type Fact, type Letter, paragraph } from './letter.ts';
import { type MessageContext, officePageOf, pageUrlOf } from './links.ts';
import { cleanName, fullName, isolate, shortName } from './names.ts';
import { dayOf } from './to-her.ts';

const unpaid = (facts: Facts): Fact => ({
  label: officeMail.deposit,
  value: officeMail.depositUnpaid(facts),
});
/** The line of a registration whose deposit is paid. */
export const paid: Fact = { label: officeMail.deposit, value: officeMail.depositPaid };

/** To the office, as soon as somebody's details have arrived (R5.3). */
export function officeNotice(
  job: MailOf<'office-notice'>,
  { facts }: Edition,
  context: MessageContext,
): Letter {
  const { package: label, packageWithTuition, preheader, ...words } = officeNoticeMail;
  const { title, total } = facts.retreatPackage;
  const chosen = { label, value: packageWithTuition(title, formatDollars(total)) };
  const notice = { ...words, preheader: preheader(facts), facts: [chosen, unpaid(facts)] };
  return officeLetter(job, notice, facts, context);
}

const changeableDetails = ['name', 'email', 'phoneNumber'] as const;

/** To the office, when details that it was told have changed: the new details, and the previous ones. */
export function officeChange(
  job: MailOf<'office-change'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const { facts } = edition;
  const { before, ...words } = officeChangeMail;
  const details = changeableDetails.flatMap((detail): Fact[] => {
    const { was, until, by } = job.before?.[detail] ?? {};
    if (was === undefined || !until || !by) return [];
    const value = before.was(isolate(was) || officeMail.notGiven, dayOf(until, edition), isolate(by));
    return [{ label: before[detail], value }];
  });
  const notice = { ...words, facts: [...details, job.paid ? paid : unpaid(facts)] };
  return officeLetter(job, notice, facts, context);
}

/** To the office, once Stripe says that the deposit is paid. */
export function officePaid(job: MailOf<'office-paid'>, { facts }: Edition, context: MessageContext): Letter {
  const amount = formatCents(job.amountCents);
  const { subject, title, received, second, ...words } = officePaidMail;
  const notice = {
    ...(job.isSecond ? second : words),
    subject: (name: string) => subject(name, amount),
    title: title(amount),
    facts: [{ label: received, value: amount, strong: true }],
  };
  return officeLetter(job, notice, facts, context);
}

/** The parts of a notice that differ from the other notices. */
interface Notice {
  subject: (name: string) => string;
  preheader: string;
  title: string;
  intro: (name: string, facts: Facts) => string;
  /** The state of its payment. */
  facts: readonly Fact[];
}

/** A notice to the office about one registration: who it is, the state of the payment, and the link to it. */
export function officeLetter(
  job: RegistrationMail,
  notice: Notice,
  facts: Facts,
  context: MessageContext,
): Letter {
  const name = isolate(fullName(job));
  const paymentUrl = `https://dashboard.stripe.com/payments/${job.paymentIntentId}`;
  const page = officePageOf(context, job.paymentIntentId);
  const payment = { label: words.payment, value: job.paymentIntentId, href: paymentUrl };
  return {
    subject: notice.subject(shortName(job)),
    preheader: notice.preheader,
    title: notice.title,
    blocks: [
      paragraph(notice.intro(name, facts)),
      { kind: 'facts', facts: [...personFacts(job), ...notice.facts, payment] },
      page
        ? { kind: 'button', label: words.openHere, href: page }
        : { kind: 'button', label: words.open, href: paymentUrl },
      paragraph(words.reply(name)),
    ],
    signature: facts.siteName,
    reason: words.reason(pageUrlOf(context)),
  };
}

const zoneName = oncePer(formatTimeZone);

/** Who somebody is, and how to reach her. */
export function personFacts({ email, phoneNumber, timeZone, ...names }: PersonMail): Fact[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: words.name, value: isolate(fullName(names)), strong: true },
    { label: words.email, value: isolate(email), href: mailLink(cleanName(email)) },
    phone
      ? { label: words.phone, value: isolate(phone), href: phoneLink(phone) }
      : { label: words.phone, value: words.notGiven },
    ...(timeZone && isKnownTimeZone(timeZone) ? [{ label: words.timeZone, value: zoneName(timeZone) }] : []),
  ];
}
