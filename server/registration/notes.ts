import type { ActRow } from '#server/database/database.ts';
import type { Done } from './act-kinds.ts';
import { type ActFacts, factsOfAct } from './acts.ts';

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
