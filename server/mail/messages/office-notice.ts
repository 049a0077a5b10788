import type { MailJob } from '#server/mail/job.ts';
import { mailFrame, officeNoticeMail as words } from '#shared/content/mails.ts';
import { formatDollars } from '#shared/money.ts';
import { retreatPackage } from '#shared/retreat-package.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import { type Fact, type Letter, paragraph } from './letter.ts';
import { mailLink, pageUrlOf, phoneLink } from './links.ts';
import type { MessageContext } from './message.ts';
import { cleanName, fullName, isolate } from './names.ts';

/** To the office, as soon as somebody's details have arrived (R5.3). */
export function officeNotice(job: MailJob, context: MessageContext): Letter {
  const name = fullName(job);
  const paymentUrl = stripePaymentUrl(job.paymentIntentId);
  return {
    subject: words.subject(name),
    preheader: words.preheader,
    title: words.title,
    blocks: [
      paragraph(words.intro(isolate(name))),
      { kind: 'facts', facts: [...registrantFacts(job), ...paymentFacts(job)] },
      { kind: 'button', label: words.open, href: paymentUrl },
      paragraph(words.reply(isolate(name))),
    ],
    signature: mailFrame.signature,
    reason: words.reason(pageUrlOf(context)),
  };
}

function stripePaymentUrl(paymentIntentId: string): string {
  return `https://dashboard.stripe.com/payments/${paymentIntentId}`;
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

function paymentFacts({ paymentIntentId }: MailJob): Fact[] {
  const { title, total } = retreatPackage;
  return [
    { label: words.package, value: words.packageWithTuition(title, formatDollars(total)) },
    { label: words.deposit, value: words.depositUnpaid },
    { label: words.payment, value: paymentIntentId, href: stripePaymentUrl(paymentIntentId) },
  ];
}
