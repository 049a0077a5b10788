import type { Edition } from '#shared/content/edition.ts';
import { healthKeptUntil, type Question } from '#shared/content/questions.ts';
import type { Answer } from './answers.ts';
import { hasPlace } from './place-of-record.ts';
import type { RegistrationRecord } from './registration-record.ts';

type Answered = Pick<RegistrationRecord, 'edition' | 'answers'>;

/** Whether an answer is about her health: it was when she gave it, or the edition says so now. */
export function isAboutHealth(
  { question, consent }: Pick<Answer, 'question' | 'consent'>,
  { questions }: Pick<Edition, 'questions'>,
): boolean {
  const asked = questions?.items.find(({ id }) => id === question);
  return consent !== undefined || asked?.health !== undefined;
}

/** The questions of her edition that she must answer and has not. */
export function missingAnswers({ edition, answers }: Answered): readonly Question[] {
  const items = edition.questions?.items ?? [];
  return items.filter(({ id, required }) => required && !answers.some(({ question }) => question === id));
}

/** Whether she can answer the questions of her edition, and change her answers. */
export function canAnswer(record: RegistrationRecord, now: Date): boolean {
  const { questions } = record.edition;
  return questions !== undefined && now < new Date(questions.editableUntil) && hasPlace(record);
}

/** When the answers about her health are to be deleted; undefined where there are none. */
export function healthDueAt({ edition, answers }: Answered): Date | undefined {
  const isKept = answers.some((one) => isAboutHealth(one, edition));
  return isKept ? healthKeptUntil(edition.facts) : undefined;
}

/** Whether answers about her health are to be deleted now. */
export function isHealthOver(record: Answered, now: Date): boolean {
  const dueAt = healthDueAt(record);
  return dueAt !== undefined && now >= dueAt;
}

/** Who has just paid reads of the questions in her welcome: for so long she is not reminded of them. */
const QUIET_MS = 2 * 24 * 60 * 60 * 1000;

/** From when on a letter reminds her of the questions; undefined where none is asked. */
export function questionsRemindAt({
  edition: { questions },
  begunAt,
  paidAt = begunAt,
}: RegistrationRecord): Date | undefined {
  return questions && new Date(Math.max(Date.parse(questions.remindAt), paidAt.getTime() + QUIET_MS));
}
