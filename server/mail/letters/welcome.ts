import { contactOf } from '#server/config/office.ts';
import type { MailJob } from '#server/mail/job.ts';
import { calendarContent } from '#shared/content/calendar.ts';
import { edition } from '#shared/content/edition.ts';
import { mailFrame, welcomeMail as words } from '#shared/content/mails.ts';
import { daysDiffer } from '#shared/content/own-schedule.ts';
import {
  audioRecordingNotice,
  cancellationPolicy,
  registrationPaymentPolicy,
} from '#shared/content/policies.ts';
import { practicalFacts, practicalFactsTitle } from '#shared/content/practical-facts.ts';
import { scheduleIntro } from '#shared/content/schedule.ts';
import { describeWayIn } from '#shared/content/way-in.ts';
import { dollarsToCents, formatCents } from '#shared/money.ts';
import { DEPOSIT_BEFORE_FEE, DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import { formatTimeZone } from '#shared/zoned-time.ts';
import { type Block, type Fact, heading, type Letter, paragraph, subheading } from './letter.ts';
import type { MessageContext } from './links.ts';
import { pageUrlOf } from './links.ts';
import { cleanName, fullName, isolate, safeName } from './names.ts';
import { findOwnZone, scheduleTable } from './schedule-table.ts';

type WelcomeJob = Extract<MailJob, { kind: 'welcome' }>;

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export function welcome(job: WelcomeJob, context: MessageContext): Letter {
  return {
    subject: words.subject,
    preheader: words.preheader,
    title: words.title,
    blocks: [
      paragraph(mailFrame.greeting(isolate(safeName(cleanName(job.firstName))))),
      paragraph(words.arrived),
      paragraph(words.keep(calendarContent.fileName)),
      ...receipt(job),
      ...schedule(job.timeZone),
      heading(practicalFactsTitle),
      { kind: 'points', points: practicalFacts },
      ...policies(context),
      paragraph(words.questions(context.office)),
      paragraph(`${words.closing}\n${mailFrame.signature}`),
    ],
    signature: mailFrame.reach(context.office),
    reason: words.reason(pageUrlOf(context)),
  };
}

function receipt(job: WelcomeJob): Block[] {
  return [
    heading(words.receipt.title),
    paragraph(words.receipt.charged(formatCents(job.amountCents))),
    { kind: 'facts', facts: receiptFacts(job) },
    heading(words.balance.title),
    paragraph(words.balance.text),
  ];
}

function schedule(timeZone: string): Block[] {
  const ownZone = findOwnZone(timeZone);
  const note =
    ownZone === null
      ? scheduleIntro.zoneNote
      : words.schedule.ownZone(formatTimeZone(ownZone), daysDiffer(ownZone));
  return [
    heading(words.schedule.title),
    paragraph(`${note} ${scheduleIntro.intro}`),
    paragraph(ownZone === null ? describeWayIn() : describeWayIn({ timeZone: ownZone, hourCycle: '12' })),
    { kind: 'schedule', table: scheduleTable(ownZone) },
  ];
}

function policies({ office }: MessageContext): Block[] {
  const contact = contactOf(office);
  const all = [registrationPaymentPolicy(contact), cancellationPolicy(contact), audioRecordingNotice];
  return [
    heading(words.policies),
    ...all.flatMap(({ title, paragraphs }) => [subheading(title), ...paragraphs.map(paragraph)]),
  ];
}

/** The lines of the receipt. An amount that is not today's deposit is not taken apart: it was made up otherwise. */
function receiptFacts(job: WelcomeJob): Fact[] {
  const name = isolate(safeName(fullName(job)));
  return [
    { label: words.receipt.purpose, value: edition.selectionLabel },
    ...(name ? [{ label: words.receipt.name, value: name }] : []),
    ...(job.amountCents === DEPOSIT_CENTS ? depositParts() : []),
    {
      label: words.receipt.total,
      value: words.receipt.totalInDollars(formatCents(job.amountCents)),
      strong: true,
    },
    { label: words.receipt.reference, value: job.paymentIntentId },
  ];
}

function depositParts(): Fact[] {
  const beforeFee = dollarsToCents(DEPOSIT_BEFORE_FEE);
  return [
    { label: words.receipt.deposit, value: formatCents(beforeFee) },
    { label: words.receipt.fee, value: formatCents(DEPOSIT_CENTS - beforeFee) },
  ];
}
