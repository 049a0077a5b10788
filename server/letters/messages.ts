import { v7 as uuidV7 } from 'uuid';
import type { ActRow, LetterRow, Transaction } from '#server/database/database.ts';
import {
  type ActFacts,
  type ActKind,
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
  groups: readonly string[];
  /** What is not sent yet is not sent any more. */
  stopped?: Done;
}

/** The newest first. @throws {AppError} when one is not what this site writes */
export async function readMessages({ database }: Register, { facts }: Edition): Promise<readonly Message[]> {
  const kinds: ActKind[] = ['message', 'message-stopped'];
  return messagesOf(await database.read((transaction) => readActsOfKinds(transaction, facts.id, kinds)));
}

function messagesOf(acts: readonly ActRow[]): readonly Message[] {
  const messages = new Map<string, Message>();
  for (const act of acts) {
    if (act.kind === 'message') {
      const { message, subject, text, ...sending } = factsOfAct(act, 'message');
      const { sendings, groups, stopped } = messages.get(message) ?? {};
      const all: Message['sendings'] = sendings ? [...sendings, sending] : [sending];
      const before = stopped ? [] : (groups ?? []);
      messages.delete(message);
      messages.set(message, { message, subject, text, sendings: all, groups: [...before, sending.to] });
    }
    if (act.kind === 'message-stopped') {
      const { message, ...stopped } = factsOfAct(act, 'message-stopped');
      const sent = messages.get(message);
      if (sent) messages.set(message, { ...sent, stopped });
    }
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

/** Drops what is not sent yet. Returns how many letters that were. */
export async function stopMessage(
  { database }: Register,
  { facts: { id: subject } }: Edition,
  message: string,
  { at, by }: Done,
): Promise<number> {
  const id = uuidV7();
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    const sent = acts.findLast(
      (act) => act.kind === 'message' && factsOfAct(act, 'message').message === message,
    );
    const stopped = { kind: 'message-stopped' as const, at, by, facts: { message }, undoes: sent?.id };
    await addAct(transaction, { id, subject, ...stopped });
    await transaction
      .updateTable('letters')
      .set({ state: 'dropped', endedAt: at })
      .where('kind', '=', 'message')
      .where('version', '=', message)
      .where('state', '=', 'owed')
      .where('again', '=', 0)
      .execute();
    const all = await messageLetters(transaction, message);
    return all.filter(({ state, endedAt }) => state === 'dropped' && endedAt?.getTime() === at.getTime())
      .length;
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

export async function testMessage(
  { database }: Register,
  { facts: { id: subject } }: Edition,
  words: Pick<Written, 'subject' | 'text'>,
  { at, by }: Done,
): Promise<Written> {
  const id = uuidV7();
  await database.write(async (transaction) => {
    await addAct(transaction, { id, subject, kind: 'message-test', at, by, facts: words });
  });
  return { message: id, ...words };
}

export async function findTest(
  { database }: Register,
  edition: string,
  message: string,
): Promise<Written | undefined> {
  const acts = await database.read((transaction) => readActsOfKinds(transaction, edition, ['message-test']));
  const act = acts.find(({ id }) => id === message);
  if (!act) return undefined;
  const { subject, text } = factsOfAct(act, 'message-test');
  return { message, subject, text };
}
