import { contactOf } from '#server/config/office.ts';
import {
  canAnswer,
  hasPlace,
  isUnreachable,
  missingAnswers,
  questionsRemindAt,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { createRetreatCalendar } from '#server/web/retreat-calendar.ts';
import type { Edition } from '#shared/content/edition.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { countQuestions } from '#shared/content/questions.ts';
import { oncePer } from '#shared/once-per.ts';
import { type Attachment, endOf, type LetterKinds, owedLetter } from './letter-kind.ts';
import { comesNext, depositWay, receiptRows } from './money.ts';
import { type FactRow, factTable, heading, type Passage } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import {
  agreedTerms,
  daysOf,
  pageButton,
  pageUrlOf,
  termsUrlOf,
  type Writing,
  waysToAsk,
} from './render/parts.ts';

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export const welcome = {
  welcome: {
    name: 'Welcome',
    due(record, now) {
      const { paidAt, edition } = record;
      const endsAt = new Date(edition.facts.endsAt);
      const isOver = now >= endsAt && paidAt !== undefined && paidAt < endsAt;
      if (!isWelcome(record) || isOver) return undefined;
      return {
        says(w) {
          const isGiven = depositWay(record) === 'scholarship';
          const arrived = isGiven ? 'Your scholarship covers the deposit' : 'Your deposit has arrived';
          return {
            ...saidAtWelcome(record, now, w, {
              intro: `${arrived}, and there is a place at the table for you, live online, on ${daysOf(w.edition)}.`,
              money: [
                heading('Your receipt'),
                factTable([
                  { label: 'For', value: w.edition.facts.retreatPackage.selection },
                  { label: 'Name', value: isolate(safeName(fullName(record.registrant))) },
                  ...receiptRows(record, now, w),
                  { label: 'Reference', value: record.id },
                ]),
              ],
              next: [{ label: 'Balance', value: comesNext(record, now, w) }],
            }),
            subject: `Welcome to ${w.title}: your receipt and the schedule`,
            title: 'Welcome. Your place is reserved.',
            questions: `If you have a question before then, ${waysToAsk(w)}.`,
            reason: `You received this e-mail because you registered at ${pageUrlOf(w)}.`,
          };
        },
      };
    },
  },

  /** To her who has the place since somebody handed it over to her, in place of the welcome. */
  'handed-over': {
    name: 'The place is yours',
    newsDays: 30,
    due(record, now) {
      const { handedOver, edition } = record;
      if (!handedOver || !hasPlace(record) || now >= new Date(edition.facts.endsAt)) return undefined;
      return {
        at: handedOver.at,
        says: (w) => ({
          ...saidAtWelcome(record, now, w, {
            intro: `The place you were given is now yours, and we look forward to meeting you, live online, on ${daysOf(w.edition)}.`,
            money: [
              'What was paid before stays paid. We never charge your card without another e-mail that tells you when and how much, at least three days ahead. If you cancel, any refund goes to the card that paid. Any money between you and the person who gave you the place is between the two of you.',
            ],
          }),
          title: 'Welcome. The place is yours.',
          reason: `You received this e-mail because you accepted a place at ${pageUrlOf(w)}.`,
        }),
      };
    },
  },

  /** To a registrant who owes an answer to a question of the edition: once, from the edition's moment on. */
  questions: {
    name: 'Reminder of the questions',
    toAll: true,
    moments: (record) => [questionsRemindAt(record)],
    due(record, now) {
      const { questions } = record.edition;
      const from = questionsRemindAt(record);
      const asked = missingAnswers(record);
      const isTime = from !== undefined && now >= from && canAnswer(record, now);
      if (!questions || !isTime || asked.length === 0 || awaitsWelcome(record)) return undefined;
      return {
        version: 'once',
        says: (w) => ({
          title: `We still have ${countQuestions(asked.length)} for you`,
          blocks: [
            `So that we can prepare ${w.title} for you, we ask everyone who is coming a few things. We still need to know from you:`,
            ...asked.map(({ text }) => text),
            `Please answer on your own page by ${w.moment(new Date(questions.editableUntil))}. The link opens it without a password, so please keep it to yourself.`,
            pageButton(record, w, 'Answer on your page', 'questions'),
          ],
        }),
      };
    },
  },
} satisfies LetterKinds;

interface Welcome {
  intro: string;
  money: readonly Passage[];
  next?: readonly FactRow[];
}

function saidAtWelcome(
  record: RegistrationRecord,
  now: Date,
  w: Writing,
  { intro, money, next = [] }: Welcome,
) {
  const { testSession, sessions } = w.edition.timetable;
  const [first] = sessions;
  const isAhead = now < new Date(testSession.startsAt);
  const terms = termsUrlOf(record, w);
  return {
    blocks: [
      intro,
      pageButton(record, w, 'Open your own page'),
      'Your own page shows the schedule and what is due, and leads to the room. It opens without a password: please keep the link to yourself.',
      questionsAsked(w, now),
      ...money,
      heading('What comes next'),
      factTable([
        ...next,
        { label: 'Test session', value: isAhead && w.moment(new Date(testSession.startsAt)) },
        { label: 'We begin', value: first && w.moment(new Date(first.startsAt)) },
      ]),
      `Attached are every session for your calendar (${w.edition.facts.calendar.fileName}), and the policies that you agreed to${terms ? `, which also stay at ${terms}` : ''}. If you have to cancel, you can do so on your own page: that counts as written notice.`,
    ],
    attachments: [calendarFile(w), policiesFile(record, w)],
  };
}

/** Not once she has cancelled, nor if she got the place from somebody else. */
function isWelcome({ deposit, decisions, cancelled, handedOver }: RegistrationRecord): boolean {
  return deposit === 'paid' && !decisions.cancel && !cancelled && !handedOver;
}

/** What tells her of the retreat comes after the welcome. */
export function awaitsWelcome(record: RegistrationRecord): boolean {
  if (!isWelcome(record) || record.forgottenAt || isUnreachable(record)) return false;
  const { id, registrant, endedLetters } = record;
  return endOf(owedLetter('welcome', id, registrant.email), endedLetters) === undefined;
}

const POLICIES_FILE = 'policies.txt';

/** The terms that she agreed to, if that is on record; otherwise those of her edition. */
function policiesFile(record: RegistrationRecord, { edition, office }: Writing): Attachment {
  const terms = agreedTerms(record, edition) ?? edition.terms;
  const all = policiesOf(terms, contactOf(office), edition.facts.siteName);
  const content = all.flatMap(({ title, paragraphs }) => [title, ...paragraphs]).join('\n\n');
  return { filename: POLICIES_FILE, content: `${content}\n`, contentType: 'text/plain; charset=utf-8' };
}

function questionsAsked(w: Writing, now: Date): string | undefined {
  const { questions } = w.edition;
  if (!questions || now >= new Date(questions.editableUntil)) return undefined;
  const by = w.moment(new Date(questions.editableUntil));
  return `There we also have ${countQuestions(questions.items.length)} for you. Please answer by ${by}.`;
}

export function calendarFile(w: Writing): Attachment {
  const { fileName: filename, content } = calendarsOf(w.edition)(pageUrlOf(w));
  return { filename, content, contentType: 'text/calendar; charset=utf-8; method=PUBLISH' };
}

const calendarsOf = oncePer((edition: Edition) =>
  oncePer((pageUrl: string) => createRetreatCalendar(edition, pageUrl)),
);
