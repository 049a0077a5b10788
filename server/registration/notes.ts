import type { ActRow } from '#server/database/schema.ts';
import type { Done } from './act-kinds.ts';
import { type ActFacts, factsOfAct, type Register } from './acts.ts';
import { findRow } from './registrations.ts';
import { blankAct, type NewAct, writeAct } from './write-acts.ts';

export const NOTE_LENGTH = 1_000;

/**
 * What a user of the office noted about a registration. It is never shown to the registrant, and in none of her letters; it
 * is in the export of her data.
 */
export interface Note extends ActFacts<'note'> {
  id: string;
  /** Counts the notes about the registration, from 1. */
  number: number;
  calledBack?: Done | undefined;
  takenBack?: Done | undefined;
}

export function notesOf({ acts }: { acts: readonly ActRow[] }): readonly Note[] {
  const all = acts.filter(({ kind }) => kind === 'note');
  return all.map((act, index) => {
    const note = factsOfAct(act, 'note');
    const called = acts.find(({ kind, number }) => kind === 'called-back' && number > act.number);
    const takenBack = acts.find(({ undoes }) => undoes === act.id);
    return {
      id: act.id,
      number: index + 1,
      ...note,
      calledBack: note.callBack && called && doneIn(called),
      takenBack: takenBack && doneIn(takenBack),
    };
  });
}

const doneIn = ({ happenedAt: at, byWhom: by }: ActRow): Done => ({ at, by });

interface Noted {
  id: string;
  notes: readonly Note[];
  registrant: { email: string };
}

/** Whether her personal data were removed: she was forgotten, or had not paid when her registration ended. */
export function isBlank({ registrant }: Pick<Noted, 'registrant'>): boolean {
  return registrant.email === '';
}

/** The notes that hold, the oldest first: none once her personal data were removed. */
export function heldNotes(noted: Noted): readonly Note[] {
  return isBlank(noted) ? [] : noted.notes.filter(({ takenBack }) => !takenBack);
}

export function callsToMake(noted: Noted): readonly Note[] {
  return heldNotes(noted).filter(({ callBack, calledBack }) => callBack && !calledBack);
}

/**
 * Records a note, that she was called back, or that a note was a mistake, whose text is removed.
 * @returns false if her notes are not those of `noted` any more: then nothing is changed, so that two presses add one note,
 *   or if her personal data were removed meanwhile
 */
export async function changeNotes(
  { database }: Register,
  { id: subject, notes }: Noted,
  act: NewAct,
): Promise<boolean> {
  return writeAct(database, subject, async (acts, transaction) => {
    if ((await findRow(transaction, subject))?.address === '') return undefined;
    if (JSON.stringify(notesOf({ acts })) !== JSON.stringify(notes)) return undefined;
    const mistaken = acts.find(({ id }) => id === act.undoes);
    if (mistaken) await blankAct(transaction, mistaken);
    return act;
  });
}
