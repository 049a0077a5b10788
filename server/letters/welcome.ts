import { contactOf } from '#server/config/office.ts';
import type { MailOf } from '#server/mail/job.ts';
import { endOf } from '#server/mail/letter-log.ts';
import { missingAnswers, questionsRemindAt } from '#server/registration/answers.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { canAnswer } from '#server/registration/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { balanceDueAt, tellMoment, timingOfBalance } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { policiesOf, termsPathOf } from '#shared/content/policies.ts';
import { countQuestions } from '#shared/content/questions.ts';
import { countInWords, dateAt, formatDate } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { isBalanceAhead } from './balance-letters.ts';
import { depositedOf, factsOf, hoursAfter, type SomeLetters } from './letter-kind.ts';
import { type FactRow, factTable, heading, type Passage, subheading } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import {
  daysOf,
  inDollars,
  type MessageContext,
  momentOf,
  ownPageButton,
  pageUrlOf,
  scheduleBlocks,
  statementRows,
  waysToAsk,
  withFee,
} from './render/parts.ts';

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export const welcome = {
  welcome: {
    name: 'Welcome',
    subject: ({ facts }) => `Welcome to ${facts.title}: your receipt and the schedule`,
    hasCalendar: true,
    factsAt(record, now) {
      const { paidAt, agreement, edition } = record;
      const endsAt = new Date(edition.facts.endsAt);
      const isOver = now >= endsAt && paidAt !== undefined && paidAt < endsAt;
      if (!isWelcome(record) || isOver) return undefined;
      return {
        ...depositedOf(record),
        paidAt: paidAt?.toISOString(),
        termsVersion: agreement?.version,
        writtenAt: now.toISOString(),
        // What it would say of the balance is out of date.
        ...(!isBalanceAhead(record, now) && { hasMovedOn: true }),
      };
    },
    says(letter, edition, context) {
      const { facts, timetable, practicalFacts } = edition;
      const days = daysOf(edition);
      return {
        preheader: `Your place is reserved, ${days}. The calendar file is attached.`,
        title: 'Welcome. Your place is reserved.',
        blocks: [
          `Your deposit has arrived, and there is a place at the table for you. We look forward to meeting you, live online, on ${days}.`,
          `Please keep this e-mail. It contains your receipt, the schedule for the ${countInWords(timetable.days.length)} days, and the policies you agreed to. Open the attached file, ${facts.calendar.fileName}, to add every session to your calendar.`,
          'From now on you have a page of your own: your place, the schedule, what is paid and what is due. The link opens it without a password, so please keep it to yourself.',
          ...questionsAsked(letter, edition),
          ownPageButton(letter, edition, context),
          heading('Your receipt'),
          paidWords(letter, edition),
          factTable(receiptFacts(letter, edition)),
          heading('The balance'),
          balanceWords(letter, edition),
          ...scheduleBlocks(letter, edition),
          heading(practicalFacts.title),
          { kind: 'points', points: practicalFacts.facts },
          ...policies(letter, edition, context),
        ],
        questions: `If you have a question before then, ${waysToAsk(context)}.`,
        closing: 'Until we meet,',
        reason: `You received this e-mail because you registered at ${pageUrlOf(context)}.`,
      };
    },
    samples: ({ facts: { prices }, terms }) => ({
      usual: { amountCents: prices.depositCents },
      'by-check': { amountCents: prices.depositBeforeFeeCents, by: 'check', hasMovedOn: true },
      'with-a-scholarship': { amountCents: 0, by: 'scholarship', hasMovedOn: true },
      'who-agreed': { amountCents: prices.depositCents, termsVersion: terms.version },
    }),
  },
} satisfies SomeLetters;

function paidWords({ by, amountCents }: MailOf<'welcome'>, { facts: { prices } }: Edition): string {
  const sum = formatCents(amountCents);
  if (by === 'scholarship') return 'Your scholarship covers the deposit: nothing was charged.';
  if (by)
    return `Your deposit of ${sum} came ${ownPageWords.payments.by[by]}${onWays(prices, ', without a card fee')}. Thank you.`;
  return `Your card was charged ${sum} in US dollars. Thank you.`;
}

/** Whether who has paid gets a welcome: not once she has cancelled, nor if she got the place from somebody else. */
function isWelcome({ deposit, decisions, cancelled, handedOver }: RegistrationRecord): boolean {
  return deposit === 'paid' && !decisions.cancel && !cancelled && !handedOver;
}

/** Whether the welcome to her is still to be sent: what tells her of the retreat comes after it. */
export function awaitsWelcome(record: RegistrationRecord): boolean {
  if (!isWelcome(record) || record.forgottenAt || isUnreachable(record)) return false;
  const welcome = { kind: 'welcome' as const, ...factsOf(record), ...depositedOf(record) };
  return endOf(welcome, record.endedLetters) === undefined;
}

/**
 * Says when the balance is charged, which depends on when she paid the deposit. She is asked to pay instead
 * if she did not agree to a charge: if no consent is on record or, when she paid late, if the terms that she
 * agreed to may not cover late payments.
 */
function balanceWords(
  { paidAt, termsVersion, hasMovedOn }: MailOf<'welcome'>,
  { facts, timetable, lateTerms }: Edition,
): string {
  if (hasMovedOn) return 'Your own page shows what is left to pay.';
  const { cardFee, cardFeePerMille, balanceBeforeFeeCents, balanceCents } = facts.prices;
  const balance =
    cardFeePerMille > 0
      ? `${formatCents(balanceBeforeFeeCents)} plus the ${cardFee} card fee, ${formatCents(balanceCents)} in all`
      : formatCents(balanceCents);
  const paid = new Date(paidAt ?? 0);
  const timing = timingOfBalance(facts, paid);
  const isAgreed =
    termsVersion !== undefined && (timing === 'on-due-day' || lateTerms.includes(termsVersion));
  if (timing === 'asked-for' || !isAgreed)
    return `The balance is ${balance}. The retreat office will ask you for it.`;
  const dueDate = dateAt(balanceDueAt(facts, paid), timetable.timeZone.id);
  return `The balance is due on ${formatDate(dueDate)}: ${balance}. You do not need to do anything: it is charged to the same card on that day.`;
}

/**
 * The terms that she agreed to and the address where they stay, if that is on record; otherwise the terms of
 * her edition.
 */
export function policies(
  { termsVersion }: { termsVersion?: string | undefined },
  { facts, terms, agreed }: Edition,
  context: MessageContext,
): Passage[] {
  const own = agreed.find(({ version }) => version === termsVersion);
  const all = policiesOf(own ?? terms, contactOf(context.office), facts.siteName);
  const address = own && new URL(termsPathOf(facts, own), context.siteUrl).href;
  return [
    heading('What you agreed to'),
    ...all.flatMap(({ title, paragraphs }) => [subheading(title), ...paragraphs]),
    'You can also cancel on your own page: that counts as written notice.',
    address && `You can find this text, as you agreed to it, at ${address}`,
  ];
}

/**
 * The lines of the receipt. Another amount than the edition's deposit is not split into tuition and fee,
 * because it was composed differently.
 */
function receiptFacts(letter: MailOf<'welcome'>, edition: Edition): FactRow[] {
  const { retreatPackage, prices } = edition.facts;
  const { depositCents, depositBeforeFeeCents } = prices;
  const isUsual = letter.amountCents === depositCents && !letter.by;
  return [
    { label: 'For', value: retreatPackage.selection },
    { label: 'Name', value: isolate(safeName(fullName(letter))) },
    ...(isUsual ? withFee('Deposit', depositCents, depositBeforeFeeCents, edition) : []),
    {
      label: letter.by ? 'Deposit' : 'Charged to your card',
      value: inDollars(letter.amountCents),
      strong: true,
    },
    ...(letter.by ? [] : statementRows(edition)),
    { label: 'Reference', value: letter.registration },
  ];
}

/** To a registrant who owes an answer to a question of the edition: once, from the edition's moment on. */
export const questionLetters = {
  questions: {
    name: 'Reminder of the questions',
    subject: ({ facts }) => `Before we meet, a question for you: ${facts.title}`,
    factsAt(record, now) {
      const { edition } = record;
      const remindAt = questionsRemindAt(record);
      const asked = missingAnswers(record).map(({ text }) => text);
      const isTime = remindAt !== undefined && now >= remindAt && canAnswer(record, now);
      if (!edition.questions || !isTime || asked.length === 0 || awaitsWelcome(record)) return undefined;
      return { asked, until: new Date(edition.questions.editableUntil).toISOString() };
    },
    says(letter, edition, context) {
      const { asked, until } = letter;
      return {
        preheader: 'Your answer helps us prepare for you. It takes a minute, on your own page.',
        title: `We still have ${countQuestions(asked.length)} for you`,
        blocks: [
          `So that we can prepare ${edition.facts.title} for you, we ask everyone who is coming a few things. We still need to know from you:`,
          ...asked,
          `Please answer on your own page by ${momentOf(until, letter, edition)}. The link opens it without a password, so please keep it to yourself.`,
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples({ facts, questions }) {
      const until = hoursAfter(questions?.editableUntil ?? facts.endsAt, 0);
      const asked = ['What shall we call you in the room?', 'With whom will you eat during these days?'];
      return { usual: { asked: asked.slice(0, 1), until }, several: { asked, until } };
    },
  },
} satisfies SomeLetters;

/** What the welcome says of the questions, while they can be answered. */
function questionsAsked(
  { timeZone, writtenAt = new Date(0).toISOString() }: MailOf<'welcome'>,
  { questions, timetable }: Edition,
): string[] {
  if (!questions || new Date(writtenAt) >= new Date(questions.editableUntil)) return [];
  const by = tellMoment(new Date(questions.editableUntil), timetable, timeZone);
  return [`There we also have ${countQuestions(questions.items.length)} for you. Please answer by ${by}.`];
}
