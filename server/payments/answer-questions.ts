import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import { addAct, HERSELF, readActs, THE_WORKER } from '#server/record/acts.ts';
import { type Answer, answersColumn, readAnswers } from '#server/record/answers.ts';
import { ACTS, type Register, readOnRecord } from '#server/record/on-record.ts';
import { isAboutHealth, isHealthOver } from '#server/record/questions.ts';
import { readRecord } from '#server/record/read-record.ts';
import type { RegistrationRecord, Whose } from '#server/record/registration-record.ts';
import { changeRow, findRow } from '#server/record/registrations.ts';
import type { Question } from '#shared/content/questions.ts';

type Asked = Pick<RegistrationRecord, 'id' | 'edition'>;

/** An answer that she gives; an empty one takes back what she answered before. */
export interface Given {
  question: Question;
  answer: string;
}

/**
 * Records what she answered; her answers to other questions stay. With an answer about her health an act records that she
 * consented, with the sentence that she read. Another answer that is the same as before keeps its time.
 */
export async function answerQuestions(
  { database }: Register,
  { id: subject }: Whose,
  given: readonly Given[],
  at: Date,
): Promise<void> {
  const consents = new Map(given.map(({ question }) => [question.id, uuidV7()]));
  await changeAnswers({ database }, subject, consents, async (transaction, before) => {
    const after = new Map(before.map((one) => [one.question, one]));
    for (const { question, answer } of given) {
      const { id, text: asked, health } = question;
      if (answer === '') after.delete(id);
      if (answer === '' || (!health && after.get(id)?.answer === answer)) continue;
      const consent = health && consents.get(id);
      after.set(id, { question: id, asked, answer, at, ...(consent !== undefined && { consent }) });
      if (!health || consent === undefined) continue;
      const facts = { question: id, asked, consent: health.consent, digest: health.digest };
      await addAct(transaction, { id: consent, subject, kind: ACTS.healthConsent, at, by: HERSELF, facts });
    }
    return [...after.values()];
  });
}

/**
 * Deletes her answer about her health to a question, since she takes her consent back.
 * @returns whether there was one
 */
export function removeHealthAnswer(
  records: Register,
  whose: Asked,
  question: string,
  at: Date,
): Promise<boolean> {
  return removeHealth(records, whose, HERSELF, at, (one) => one.question === question);
}

/**
 * Deletes all answers about her health once they have been kept for as long as promised.
 * @returns whether there were any
 */
export async function removeDueHealth(records: Register, deposit: string, at: Date): Promise<boolean> {
  const record = readRecord(await readOnRecord(records, deposit));
  return record !== undefined && isHealthOver(record, at)
    ? removeHealth(records, record, THE_WORKER, at, () => true)
    : false;
}

async function removeHealth(
  records: Register,
  { id: subject, edition }: Asked,
  by: string,
  at: Date,
  isMeant: (answer: Answer) => boolean,
): Promise<boolean> {
  const ids = new Map<string, string>();
  return changeAnswers(records, subject, ids, async (transaction, before) => {
    const removed = before.filter((one) => isAboutHealth(one, edition) && isMeant(one));
    for (const { question, asked, consent } of removed) {
      const facts = { question, asked };
      const id = ids.get(question) ?? uuidV7();
      ids.set(question, id);
      const act = { id, subject, kind: ACTS.healthRemoved, at, by, facts };
      await addAct(transaction, { ...act, ...(consent !== undefined && { undoes: consent }) });
    }
    return before.filter((one) => !removed.includes(one));
  });
}

/**
 * Changes the answers of a registration; returns whether they differ then. Those of a forgotten one stay empty.
 * @param ids of the acts that the change records, by their questions: it was made where one of them is on record
 */
async function changeAnswers(
  { database }: Register,
  deposit: string,
  ids: ReadonlyMap<string, string>,
  change: (transaction: Transaction, before: readonly Answer[]) => Promise<readonly Answer[]>,
): Promise<boolean> {
  return database.write(async (transaction) => {
    const row = await findRow(transaction, deposit);
    if (!row || row.forgottenAt !== null) return false;
    // The answer to the COMMIT was lost.
    const made = [...ids.values()];
    if ((await readActs(transaction, deposit)).some(({ id }) => made.includes(id))) return true;
    const before = readAnswers(row);
    const after = await change(transaction, before);
    if (isDeepStrictEqual(after, before)) return false;
    await changeRow(transaction, deposit, { answers: answersColumn(after) });
    return true;
  });
}
