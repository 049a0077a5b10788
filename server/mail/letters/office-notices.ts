import type { MailJob, MailKind } from '#server/mail/job.ts';
import { officeChangeMail, officeMail, officeNoticeMail, officePaidMail } from '#shared/content/mails.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { retreatPackage } from '#shared/retreat-package.ts';
import type { Fact, Letter } from './letter.ts';
import type { MessageContext } from './message.ts';
import { officeLetter } from './office-letter.ts';

type JobOf<Kind extends MailKind> = Extract<MailJob, { kind: Kind }>;

const unpaid: Fact = { label: officeMail.deposit, value: officeMail.depositUnpaid };
const paid: Fact = { label: officeMail.deposit, value: officeMail.depositPaid };

/** To the office, as soon as somebody's details have arrived (R5.3). */
export function officeNotice(job: JobOf<'office-notice'>, context: MessageContext): Letter {
  const { package: label, packageWithTuition, ...words } = officeNoticeMail;
  const { title, total } = retreatPackage;
  const chosen = { label, value: packageWithTuition(title, formatDollars(total)) };
  return officeLetter(job, { ...words, facts: [chosen, unpaid] }, context);
}

/** To the office, when details that it was told have changed. */
export function officeChange(job: JobOf<'office-change'>, context: MessageContext): Letter {
  return officeLetter(job, { ...officeChangeMail, facts: [job.paid ? paid : unpaid] }, context);
}

/** To the office, once Stripe says that the deposit is paid. */
export function officePaid(job: JobOf<'office-paid'>, context: MessageContext): Letter {
  const amount = formatCents(job.amountCents);
  const { subject, title, received, ...words } = officePaidMail;
  const notice = {
    ...words,
    subject: (name: string) => subject(name, amount),
    title: title(amount),
    facts: [{ label: received, value: amount, strong: true }],
  };
  return officeLetter(job, notice, context);
}
