import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import type { Database } from '#server/database/database.ts';
import type { ActRow } from '#server/database/schema.ts';
import { addAct, blankAct, done, factsOfAct, readActs } from './acts.ts';
import { WITHDRAWAL } from './decisions.ts';
import { ACTS } from './on-record.ts';
import { findRow } from './registrations.ts';

/** The longest note, in characters. */
export const NOTE_LENGTH = 1_000;

/** When something was done about a note, and by whom. */
export interface Done {
  at: Date;
  by: string;
}

/**
 * What a user of the office noted about a registration. It is never shown to the registrant, and in none of her letters;
 * it is in the export of her data.
 */
export interface Note extends Done {
  /** Counts the notes about the registration, from 1. */
  number: number;
  text: string;
  /** Somebody is to call her back. */
  callBack?: true;
  /** She was called back since. */
  calledBack?: Done;
  /** It was a mistake: its text is gone. */
  takenBack?: Done;
}

const noteSchema = v.object({ ...done, text: v.string(), callBack: v.exactOptional(v.literal(true)) });

/** The notes about a registration, the oldest first. */
export function notesOf({ acts }: { acts: readonly ActRow[] }): readonly Note[] {
  return noteActs(acts).map((act, index) => {
    const note = factsOfAct(act, noteSchema);
    const called = acts.find(({ kind, number }) => kind === ACTS.calledBack && number > act.number);
    const takenBack = acts.find(({ undoes }) => undoes === act.id);
    return {
      ...{ number: index + 1, ...note },
      ...(note.callBack && called && { calledBack: doneOf(called) }),
      ...(takenBack && { takenBack: doneOf(takenBack) }),
    };
  });
}

const noteActs = (acts: readonly ActRow[]) => acts.filter(({ kind }) => kind === ACTS.note);
const doneOf = ({ at, byWhom }: ActRow): Done => ({ at: new Date(at), by: byWhom });

/** A registration with its notes. */
export interface Noted {
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

/** The notes by which somebody is still to call her back, the oldest first. */
export function callsToMake(noted: Noted): readonly Note[] {
  return heldNotes(noted).filter(({ callBack, calledBack }) => callBack && !calledBack);
}

/** A change of the notes about a registration. */
export type NoteChange = { adds: Pick<Note, 'text' | 'callBack'> } | { takesBack: number } | 'called-back';

/**
 * Adds a note, takes one back, which removes its text, or records that she was called back.
 * @returns false if her notes are not those of `noted` any more: then nothing is changed, so that two presses add one note,
 *   or if her personal data were removed meanwhile
 */
export async function changeNotes(
  { database }: { database: Database },
  { id: subject, notes }: Noted,
  change: NoteChange,
  { at, by }: Done,
): Promise<boolean> {
  const act = { id: uuidV7(), subject, at, by };
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    if (acts.some(({ id }) => id === act.id)) return true;
    if ((await findRow(transaction, subject))?.address === '') return false;
    if (JSON.stringify(notesOf({ acts })) !== JSON.stringify(notes)) return false;
    if (change === 'called-back') await addAct(transaction, { ...act, kind: ACTS.calledBack });
    else if ('adds' in change) await addAct(transaction, { ...act, kind: ACTS.note, facts: change.adds });
    else {
      const mistaken = noteActs(acts)[change.takesBack - 1];
      if (!mistaken) return false;
      await addAct(transaction, { ...act, kind: WITHDRAWAL, undoes: mistaken.id });
      await blankAct(transaction, mistaken);
    }
    return true;
  });
}
