import type { MailOf } from '#server/mail/job.ts';
import { missingAnswers, questionsRemindAt } from '#server/record/answers.ts';
import { canAnswer } from '#server/record/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { countQuestions } from '#shared/content/questions.ts';
import { hoursAfter, type SomeLetters } from './letter-kind.ts';
import { momentOf, ownPageButton } from './render/parts.ts';

/** To a registrant who owes an answer to a question of the edition: once, from the edition's moment on. */
export const questionLetters = {
  questions: {
    name: 'Reminder of the questions',
    subject: ({ facts }) => `Before we meet, a question for you: ${facts.title}`,
    now(record, now) {
      const { edition, letters } = record;
      const remindAt = questionsRemindAt(record);
      const asked = missingAnswers(record).map(({ text }) => text);
      const isTime = remindAt !== undefined && now >= remindAt && canAnswer(record, now);
      if (!edition.questions || !isTime || asked.length === 0 || letters.welcome === 'owed') return undefined;
      return { asked, until: new Date(edition.questions.editableUntil).toISOString() };
    },
    says(letter, edition, context) {
      const { asked, until } = letter;
      return {
        preheader: 'Your answer helps us to prepare for you. It takes a minute, on your own page.',
        title: `There ${asked.length === 1 ? 'is' : 'are'} still ${countQuestions(asked.length)} for you`,
        blocks: [
          `So that we can prepare ${edition.facts.title} for you, we ask everybody who comes a few things. From you we still need to know:`,
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
export function questionsAsked(
  { timeZone, writtenAt = new Date(0).toISOString() }: MailOf<'welcome'>,
  { questions, timetable }: Edition,
): string[] {
  if (!questions || new Date(writtenAt) >= new Date(questions.editableUntil)) return [];
  const by = tellMoment(new Date(questions.editableUntil), timetable, timeZone);
  return [`There we also have ${countQuestions(questions.items.length)} for you. Please answer by ${by}.`];
}
