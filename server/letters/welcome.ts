import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import { contactOf } from '#server/config/office.ts';
import { missingAnswers, questionsRemindAt } from '#server/registration/answers.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { canAnswer } from '#server/registration/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { balanceDueAt, timingOfBalance } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { policiesOf, termsPathOf } from '#shared/content/policies.ts';
import { countQuestions } from '#shared/content/questions.ts';
import { countInWords } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { isBalanceAhead } from './balance-letters.ts';
import {
  type Attachment,
  endOf,
  type LetterKinds,
  owedLetter,
  type RegistrationLetter,
  TO_HER,
} from './letter-kind.ts';
import { type FactRow, factTable, heading, type Passage, subheading } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import {
  daysOf,
  inDollars,
  pageButton,
  pageUrlOf,
  scheduleBlocks,
  statementRows,
  type Writing,
  waysToAsk,
  withFee,
} from './render/parts.ts';
import { depositWay } from './sums.ts';

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export const welcome = {
  welcome: {
    ...TO_HER,
    name: 'Welcome',
    subject: ({ facts }) => `Welcome to ${facts.title}: your receipt and the schedule`,
    due(record, now) {
      const { paidAt, edition } = record;
      const endsAt = new Date(edition.facts.endsAt);
      const isOver = now >= endsAt && paidAt !== undefined && paidAt < endsAt;
      if (!isWelcome(record) || isOver) return undefined;
      return {
        says(w) {
          const { facts, timetable, practicalFacts } = w.edition;
          const days = daysOf(w.edition);
          return {
            preheader: `Your place is reserved, ${days}. The calendar file is attached.`,
            title: 'Welcome. Your place is reserved.',
            blocks: [
              `Your deposit has arrived, and there is a place at the table for you. We look forward to meeting you, live online, on ${days}.`,
              `Please keep this e-mail. It contains your receipt, the schedule for the ${countInWords(timetable.days.length)} days, and the policies you agreed to. Open the attached file, ${facts.calendar.fileName}, to add every session to your calendar.`,
              'From now on you have a page of your own: your place, the schedule, what is paid and what is due. The link opens it without a password, so please keep it to yourself.',
              questionsAsked(w, now),
              pageButton(record, w, 'Your own page'),
              heading('Your receipt'),
              paidWords(record, w),
              factTable(receiptFacts(record, w)),
              heading('The balance'),
              balanceWords(record, now, w),
              ...scheduleBlocks(w, now),
              heading(practicalFacts.title),
              { kind: 'points', points: practicalFacts.facts },
              ...policies(record, w),
            ],
            questions: `If you have a question before then, ${waysToAsk(w)}.`,
            closing: 'Until we meet,',
            reason: `You received this e-mail because you registered at ${pageUrlOf(w)}.`,
            attachments: [calendarFile(w)],
          };
        },
      };
    },
  },

  /** To a registrant who owes an answer to a question of the edition: once, from the edition's moment on. */
  questions: {
    ...TO_HER,
    name: 'Reminder of the questions',
    subject: ({ facts }) => `Before we meet, a question for you: ${facts.title}`,
    toAll: true,
    due(record, now) {
      const { questions } = record.edition;
      const from = questionsRemindAt(record);
      const asked = missingAnswers(record);
      const isTime = from !== undefined && now >= from && canAnswer(record, now);
      if (!questions || !isTime || asked.length === 0 || awaitsWelcome(record)) return undefined;
      return {
        version: 'once',
        says: (w) => ({
          preheader: 'Your answer helps us prepare for you. It takes a minute, on your own page.',
          title: `We still have ${countQuestions(asked.length)} for you`,
          blocks: [
            `So that we can prepare ${w.edition.facts.title} for you, we ask everyone who is coming a few things. We still need to know from you:`,
            ...asked.map(({ text }) => text),
            `Please answer on your own page by ${w.moment(new Date(questions.editableUntil))}. The link opens it without a password, so please keep it to yourself.`,
            pageButton(record, w, 'Answer on your page', 'questions'),
          ],
        }),
      };
    },
  },
} satisfies LetterKinds<RegistrationLetter>;

function paidWords(record: RegistrationRecord, { edition }: Writing): string {
  const sum = formatCents(record.depositCents);
  const by = depositWay(record);
  if (by === 'scholarship') return 'Your scholarship covers the deposit: nothing was charged.';
  if (by)
    return `Your deposit of ${sum} came ${ownPageWords.payments.by[by]}${onWays(edition.facts.prices, ', without a card fee')}. Thank you.`;
  return `Your card was charged ${sum} in US dollars. Thank you.`;
}

/** Whether who has paid gets a welcome: not once she has cancelled, nor if she got the place from somebody else. */
function isWelcome({ deposit, decisions, cancelled, handedOver }: RegistrationRecord): boolean {
  return deposit === 'paid' && !decisions.cancel && !cancelled && !handedOver;
}

/** Whether the welcome to her is still to be sent: what tells her of the retreat comes after it. */
export function awaitsWelcome(record: RegistrationRecord): boolean {
  if (!isWelcome(record) || record.forgottenAt || isUnreachable(record)) return false;
  const { id, registrant, endedLetters } = record;
  return endOf(owedLetter('welcome', id, registrant.email), endedLetters) === undefined;
}

/**
 * Says when the balance is charged, which depends on when she paid the deposit. She is asked to pay instead if she did not
 * agree to a charge: if no consent is on record or, when she paid late, if the terms that she agreed to may not cover that.
 */
function balanceWords(record: RegistrationRecord, now: Date, w: Writing): string {
  // What it would say of the balance is out of date.
  if (!isBalanceAhead(record, now)) return 'Your own page shows what is left to pay.';
  const { facts, lateTerms } = w.edition;
  const { cardFee, cardFeePerMille, balanceBeforeFeeCents, balanceCents } = facts.prices;
  const balance =
    cardFeePerMille > 0
      ? `${formatCents(balanceBeforeFeeCents)} plus the ${cardFee} card fee, ${formatCents(balanceCents)} in all`
      : formatCents(balanceCents);
  const paidAt = record.paidAt ?? record.begunAt;
  const timing = timingOfBalance(facts, paidAt);
  const { version } = record.agreement ?? {};
  const isAgreed = version !== undefined && (timing === 'on-due-day' || lateTerms.includes(version));
  if (timing === 'asked-for' || !isAgreed)
    return `The balance is ${balance}. The retreat office will ask you for it.`;
  return `The balance is due on ${w.day(balanceDueAt(facts, paidAt))}: ${balance}. You do not need to do anything: it is charged to the same card on that day.`;
}

/** The terms that she agreed to and the address where they stay, if that is on record; otherwise those of her edition. */
export function policies(
  { agreement }: RegistrationRecord,
  { edition, office, siteUrl }: Writing,
): Passage[] {
  const { facts, terms, agreed } = edition;
  const own = agreed.find(({ version }) => version === agreement?.version);
  const all = policiesOf(own ?? terms, contactOf(office), facts.siteName);
  const address = own && new URL(termsPathOf(facts, own), siteUrl).href;
  return [
    heading('What you agreed to'),
    ...all.flatMap(({ title, paragraphs }) => [subheading(title), ...paragraphs]),
    'You can also cancel on your own page: that counts as written notice.',
    address && `You can find this text, as you agreed to it, at ${address}`,
  ];
}

/** Another amount than the edition's deposit is not split into tuition and fee: it was composed differently. */
function receiptFacts(record: RegistrationRecord, w: Writing): FactRow[] {
  const { retreatPackage, prices } = w.edition.facts;
  const { depositCents, depositBeforeFeeCents } = prices;
  const by = depositWay(record);
  const isUsual = record.depositCents === depositCents && !by;
  return [
    { label: 'For', value: retreatPackage.selection },
    { label: 'Name', value: isolate(safeName(fullName(record.registrant))) },
    ...(isUsual ? withFee('Deposit', depositCents, depositBeforeFeeCents, w) : []),
    {
      label: by ? 'Deposit' : 'Charged to your card',
      value: inDollars(record.depositCents),
      strong: true,
    },
    ...(by ? [] : statementRows(w)),
    { label: 'Reference', value: record.id },
  ];
}

/** What the welcome says of the questions, while they can be answered. */
function questionsAsked(w: Writing, now: Date): string | undefined {
  const { questions } = w.edition;
  if (!questions || now >= new Date(questions.editableUntil)) return undefined;
  const by = w.moment(new Date(questions.editableUntil));
  return `There we also have ${countQuestions(questions.items.length)} for you. Please answer by ${by}.`;
}

/** Every session as a calendar file. */
export function calendarFile(w: Writing): Attachment {
  const { fileName: filename, content } = calendarsOf(w.edition)(pageUrlOf(w));
  return { filename, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}

const calendarsOf = oncePer((edition: Edition) =>
  oncePer((pageUrl: string) => createRetreatCalendar(edition, pageUrl)),
);
