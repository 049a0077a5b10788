import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Question, Questions } from '#shared/content/questions.ts';
import type { TestScope } from './clean-up.ts';

const health = { consent: 'I agree that the office reads this.', digest: 'd'.repeat(64) };

/** One that must be answered, a choice, and one about health. */
export const testQuestions = {
  name: { id: 'name-shown', text: 'What shall we call you?', required: true },
  table: {
    id: 'table',
    text: 'With whom will you eat?',
    required: false,
    choices: ['By myself', 'With my family'],
  },
  health: { id: 'health', text: 'Is there anything about your health?', required: false, health },
} satisfies Record<string, Question>;

export const askedByTests: Questions = {
  remindAt: '2026-01-05T09:00-08:00',
  editableUntil: '2026-01-15T18:00-08:00',
  items: Object.values(testQuestions),
};

/** The tested edition, with questions. */
export const askingEdition: Edition = { ...edition, questions: askedByTests };

/** Has the tested edition ask questions, for one test. */
export function askQuestions(t: TestScope, questions = askedByTests): void {
  edition.questions = questions;
  t.after(() => delete edition.questions);
}
