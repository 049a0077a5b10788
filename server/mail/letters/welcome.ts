import { contactOf } from '#server/config/office.ts';
import type { MailJob } from '#server/mail/job.ts';
import type { Edition, Facts, Prices, Timetable } from '#shared/content/edition.ts';
import { mailFrame, welcomeMail } from '#shared/content/mails.ts';
import { balanceDueAt, timingOfBalance } from '#shared/content/moments.ts';
import { daysDiffer } from '#shared/content/own-schedule.ts';
import { policiesOf, termsPathOf } from '#shared/content/policies.ts';
import { scheduleWords } from '#shared/content/schedule.ts';
import { describeWayIn } from '#shared/content/way-in.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone } from '#shared/zoned-time.ts';
import { type Block, type Fact, heading, type Letter, paragraph, subheading } from './letter.ts';
import type { MessageContext } from './links.ts';
import { pageUrlOf } from './links.ts';
import { cleanName, fullName, isolate, safeName } from './names.ts';
import { findOwnZone, scheduleTable } from './schedule-table.ts';
import { ownPageButton } from './to-her.ts';

type WelcomeWords = ReturnType<typeof welcomeMail>;
type WelcomeJob = Extract<MailJob, { kind: 'welcome' }>;

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export function welcome(job: WelcomeJob, edition: Edition, context: MessageContext): Letter {
  const { facts, practicalFacts } = edition;
  const words = welcomeMail(edition);
  return {
    subject: words.subject,
    preheader: words.preheader,
    title: words.title,
    blocks: [
      paragraph(mailFrame.greeting(isolate(safeName(cleanName(job.firstName))))),
      paragraph(words.arrived),
      paragraph(words.keep(facts.calendar.fileName)),
      paragraph(words.ownPage),
      ownPageButton(job, edition, context),
      ...receipt(job, words, edition),
      ...scheduleBlocks(job, words, edition),
      heading(practicalFacts.title),
      { kind: 'points', points: practicalFacts.facts },
      ...policies(job, edition, words, context),
      paragraph(words.questions(context.office)),
      paragraph(`${words.closing}\n${facts.siteName}`),
    ],
    signature: mailFrame.reach(context.office),
    reason: words.reason(pageUrlOf(context)),
  };
}

function receipt(job: WelcomeJob, words: WelcomeWords, edition: Edition): Block[] {
  return [
    heading(words.receipt.title),
    paragraph(words.receipt.charged(formatCents(job.amountCents))),
    { kind: 'facts', facts: receiptFacts(job, words, edition.facts) },
    heading(words.balance.title),
    paragraph(balanceWords(job, words, edition)),
  ];
}

/**
 * Says when the balance is charged, which depends on when she paid the deposit. She is asked to pay instead
 * if she did not agree to a charge: if no consent is on record or, when she paid late, if the terms that she
 * agreed to may not cover late payments.
 */
function balanceWords(
  { paidAt, termsVersion, hasMovedOn }: WelcomeJob,
  { balance }: WelcomeWords,
  { facts, timetable, lateTerms }: Edition,
): string {
  if (hasMovedOn) return balance.onPage;
  const paid = new Date(paidAt ?? 0);
  const timing = timingOfBalance(facts, paid);
  const isAgreed =
    termsVersion !== undefined && (timing === 'on-due-day' || lateTerms.includes(termsVersion));
  if (timing === 'asked-for' || !isAgreed) return balance.askedFor;
  return balance.charged(dateAt(balanceDueAt(facts, paid), timetable.timeZone.id));
}

/** The whole schedule, in the retreat's time zone and in hers, and how she gets its links. */
export function scheduleBlocks(
  { timeZone, writtenAt }: Pick<WelcomeJob, 'timeZone' | 'writtenAt'>,
  words: WelcomeWords,
  edition: Edition,
): Block[] {
  const { ownZone, note, table } = scheduleOf(edition)(timeZone);
  const own = ownZone === null ? undefined : ({ timeZone: ownZone, hourCycle: '12' } as const);
  const now = writtenAt === undefined ? undefined : new Date(writtenAt);
  return [heading(words.schedule.title), note, paragraph(describeWayIn(edition.timetable, own, now)), table];
}

const scheduleOf = oncePer((edition: Edition) =>
  oncePer((timeZone: string) => scheduleIn(timeZone, welcomeMail(edition), edition.timetable)),
);

function scheduleIn(timeZone: string, words: WelcomeWords, timetable: Timetable) {
  const ownZone = findOwnZone(timeZone, timetable);
  const zoneNote =
    ownZone === null
      ? scheduleWords.zoneNote(timetable)
      : words.schedule.ownZone(formatTimeZone(ownZone), daysDiffer(timetable, ownZone));
  const table: Block = { kind: 'schedule', table: scheduleTable(timetable, ownZone, words.schedule) };
  return { ownZone, note: paragraph(`${zoneNote} ${timetable.intro}`), table };
}

/**
 * The terms that she agreed to and the address where they stay, if that is on record; otherwise the terms of
 * her edition.
 */
function policies(
  { termsVersion }: WelcomeJob,
  { facts, terms, agreed }: Edition,
  words: WelcomeWords,
  context: MessageContext,
): Block[] {
  const own = agreed.find(({ version }) => version === termsVersion);
  const all = policiesOf(own ?? terms, contactOf(context.office), facts.siteName);
  const address = own && new URL(termsPathOf(facts, own), context.siteUrl).href;
  return [
    heading(words.policies),
    ...all.flatMap(({ title, paragraphs }) => [subheading(title), ...paragraphs.map(paragraph)]),
    paragraph(words.cancelOnPage),
    ...(address ? [paragraph(words.policiesStay(address))] : []),
  ];
}

/**
 * The lines of the receipt. Another amount than the edition's deposit is not split into tuition and fee,
 * because it was composed differently.
 */
function receiptFacts(job: WelcomeJob, words: WelcomeWords, { retreatPackage, prices }: Facts): Fact[] {
  const name = isolate(safeName(fullName(job)));
  return [
    { label: words.receipt.purpose, value: retreatPackage.selection },
    ...(name ? [{ label: words.receipt.name, value: name }] : []),
    ...(job.amountCents === prices.depositCents ? depositParts(words, prices) : []),
    {
      label: words.receipt.total,
      value: words.receipt.totalInDollars(formatCents(job.amountCents)),
      strong: true,
    },
    { label: words.receipt.reference, value: job.paymentIntentId },
  ];
}

function depositParts(words: WelcomeWords, { depositBeforeFeeCents, depositCents }: Prices): Fact[] {
  return [
    { label: words.receipt.deposit, value: formatCents(depositBeforeFeeCents) },
    { label: words.receipt.fee, value: formatCents(depositCents - depositBeforeFeeCents) },
  ];
}
