import * as v from 'valibot';
import type { RegistrationRow } from '#server/database/schema.ts';
import type { Edition } from '#shared/content/edition.ts';
import { healthKeptUntil, type Question } from '#shared/content/questions.ts';
import { done, factsOfAct, moment, unreadablePayment } from './acts.ts';
import { ACTS, type OnRecord } from './on-record.ts';

const answer = v.object({
  /** The id of the question. */
  question: v.string(),
  /** The question as she read it: an edition may ask it no more. */
  asked: v.string(),
  answer: v.string(),
  at: moment,
  /** About her health: the act by which she consented. */
  consent: v.exactOptional(v.string()),
});
export type Answer = v.InferOutput<typeof answer>;

const answersSchema = v.pipe(v.string(), v.parseJson(), v.array(answer));

/** What she answered, by the column of her registration; undefined for what this site does not write. */
export function parseAnswers(column: string): Answer[] | undefined {
  if (column === '') return [];
  const read = v.safeParse(answersSchema, column);
  return read.success ? read.output : undefined;
}

/**
 * In the order of her first answers.
 * @throws {AppError} when it is not what this site writes
 */
export function readAnswers({ id, answers }: Pick<RegistrationRow, 'id' | 'answers'>): Answer[] {
  const read = parseAnswers(answers);
  if (!read) throw unreadablePayment(`The answers of the registration ${id} cannot be read`);
  return read;
}

/** The column of a registration with these answers. */
export function answersColumn(answers: readonly Answer[]): string {
  return answers.length === 0 ? '' : JSON.stringify(answers);
}

const healthActSchema = v.object({ ...done, asked: v.string() });

/** She consented to an answer about her health, or it was deleted. */
export type HealthAct = v.InferOutput<typeof healthActSchema> & { what: 'consent' | 'removal' };

/** The oldest first. */
export function healthActsOf({ acts }: Pick<OnRecord, 'acts'>): HealthAct[] {
  return acts.flatMap((act): HealthAct[] => {
    if (act.kind === ACTS.healthConsent) return [{ ...factsOfAct(act, healthActSchema), what: 'consent' }];
    return act.kind === ACTS.healthRemoved ? [{ ...factsOfAct(act, healthActSchema), what: 'removal' }] : [];
  });
}

/** Of a registration, her edition and what she answered. */
interface Answered {
  edition: Edition;
  answers: readonly Answer[];
}

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

/** For so long who has just paid is not reminded of the questions: her welcome names them. */
const QUIET_MS = 2 * 24 * 60 * 60 * 1000;

/** From when on a letter reminds her of the questions; undefined where none is asked. */
export function questionsRemindAt({
  edition: { questions },
  begunAt,
  paidAt = begunAt,
}: Pick<Answered, 'edition'> & { begunAt: Date; paidAt?: Date | undefined }): Date | undefined {
  return questions && new Date(Math.max(Date.parse(questions.remindAt), paidAt.getTime() + QUIET_MS));
}
