import * as v from 'valibot';
import type { RegistrationRow } from '#server/database/database.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Question } from '#shared/content/questions.ts';
import { moment } from './act-kinds.ts';
import { unreadablePayment } from './acts.ts';

const answer = v.object({
  question: v.string(),
  /** The question as she read it: an edition may ask it no more. */
  asked: v.string(),
  answer: v.string(),
  at: moment,
});
export type Answer = v.InferOutput<typeof answer>;

const answersSchema = v.pipe(v.string(), v.parseJson(), v.array(answer));

export function parseAnswers(column: string): Answer[] | undefined {
  const read = v.safeParse(answersSchema, column);
  return read.success ? read.output : undefined;
}

/** @throws {AppError} when it is not what this site writes */
export function readAnswers({ id, answers }: Pick<RegistrationRow, 'id' | 'answers'>): Answer[] {
  const read = parseAnswers(answers);
  if (!read) throw unreadablePayment(`The answers of the registration ${id} cannot be read`);
  return read;
}

export function answersColumn(answers: readonly Answer[]): string {
  return JSON.stringify(answers);
}

interface Answered {
  edition: Edition;
  answers: readonly Answer[];
}

export function missingAnswers({ edition, answers }: Answered): readonly Question[] {
  const items = edition.questions?.items ?? [];
  return items.filter(({ id, required }) => required && !answers.some(({ question }) => question === id));
}

const QUIET_MS = 2 * 24 * 60 * 60 * 1000;

export function questionsRemindAt({
  edition: { questions },
  begunAt,
  paidAt = begunAt,
}: Pick<Answered, 'edition'> & { begunAt: Date; paidAt?: Date | undefined }): Date | undefined {
  return questions && new Date(Math.max(Date.parse(questions.remindAt), paidAt.getTime() + QUIET_MS));
}
