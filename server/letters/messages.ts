import { v7 as uuidV7 } from 'uuid';
import type { LetterRow, Transaction } from '#server/database/database.ts';
import {
  type ActFacts,
  addAct,
  type Done,
  factsOfAct,
  type Register,
  readActs,
  readActsOfKinds,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { OwedLetter } from './letter-kind.ts';
import { oweTogether } from './letter-log.ts';
import type { Written } from './message.ts';

type Sending = Pick<ActFacts<'message'>, 'at' | 'by' | 'to' | 'count'>;

export interface Message extends Written {
  /** The oldest first: nobody gets the same words twice. */
  sendings: readonly [Sending, ...Sending[]];
}

/** The newest first. @throws {AppError} when one is not what this site writes */
export async function readMessages({ database }: Register, { facts }: Edition): Promise<readonly Message[]> {
  const acts = await database.read((transaction) => readActsOfKinds(transaction, facts.id, ['message']));
  const messages = new Map<string, Message>();
  for (const act of acts) {
    const { message, subject, text, ...sending } = factsOfAct(act, 'message');
    const sendings: Message['sendings'] = [...(messages.get(message)?.sendings ?? []), sending];
    messages.delete(message);
    messages.set(message, { message, subject, text, sendings });
  }
  return [...messages.values()].toReversed();
}

/**
 * All of them are owed once this has returned, and none is if it fails. Who has had the same words, or is to
 * get them, stays as she is.
 * @returns the ids of the letters that are owed now, and were not before
 */
export async function sendMessage(
  { database }: Register,
  { facts: { id: subject } }: Edition,
  written: Written & { to: string },
  letters: readonly OwedLetter[],
  { at, by }: Done,
): Promise<readonly string[]> {
  const id = uuidV7();
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    const { message, subject: title, text, to } = written;
    if (acts.some((act) => act.id === id)) {
      const all = await messageLetters(transaction, message);
      return all.flatMap(({ id, owedAt }) => (owedAt.getTime() === at.getTime() ? id : [])).toSorted();
    }
    const owed = await oweTogether(transaction, letters, at);
    if (owed.length === 0) return [];
    const said = { message, subject: title, text, to, count: owed.length };
    await addAct(transaction, { id, subject, kind: 'message', at, by, facts: said });
    return owed.toSorted();
  });
}

export type MessageLetter = Pick<LetterRow, 'id' | 'subject' | 'state' | 'owedAt' | 'endedAt'>;

/** Without copies that were asked for later. */
export async function readMessageLetters(
  { database }: Register,
  message: string,
): Promise<readonly MessageLetter[]> {
  return database.read((transaction) => messageLetters(transaction, message));
}

function messageLetters(transaction: Transaction, message: string): Promise<MessageLetter[]> {
  return transaction
    .selectFrom('letters')
    .select(['id', 'subject', 'state', 'owedAt', 'endedAt'])
    .where('kind', '=', 'message')
    .where('version', '=', message)
    .where('again', '=', 0)
    .execute();
}
