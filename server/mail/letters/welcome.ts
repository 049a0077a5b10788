import { contactOf } from '#server/config/office.ts';
import type { MailJob } from '#server/mail/job.ts';
import { calendarContent } from '#shared/content/calendar.ts';
import { mailFrame, welcomeMail as words } from '#shared/content/mails.ts';
import {
  audioRecordingNotice,
  cancellationPolicy,
  registrationPaymentPolicy,
} from '#shared/content/policies.ts';
import { practicalFacts, practicalFactsTitle } from '#shared/content/practical-facts.ts';
import { scheduleIntro } from '#shared/content/schedule.ts';
import { describeWayIn } from '#shared/content/way-in.ts';
import { formatCents } from '#shared/money.ts';
import { daysDiffer } from '#shared/own-schedule.ts';
import { formatTimeZone } from '#shared/zoned-time.ts';
import { type Block, heading, type Letter, paragraph, subheading } from './letter.ts';
import { pageUrlOf } from './links.ts';
import type { MessageContext } from './message.ts';
import { cleanName, isolate, safeName } from './names.ts';
import { receiptFacts } from './receipt-facts.ts';
import { findOwnZone, scheduleTable } from './schedule-table.ts';

export type WelcomeJob = Extract<MailJob, { kind: 'welcome' }>;

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
