import * as v from 'valibot';
import { WITHDRAWAL } from '#server/registration/act-kinds.ts';
import { callsToMake, changeNotes, heldNotes, isBlank, type Note } from '#server/registration/notes.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { NewAct } from '#server/registration/write-acts.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { impossible, type Said } from './act.ts';
import { mark, note as noteText } from './given.ts';
import { plannedAct, type Standing } from './registration-act.ts';
import { moment } from './words.ts';

const NUMBER = v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, 'Please choose a note'), v.transform(Number));

/**
 * Adds a note to a registration, for the office only, which may ask for a call: the office is told until she was called
 * back. Its form is also beside her notes.
 */
export const addNote = plannedAct({
  id: 'note',
  heading: 'Add a note',
  sentence: 'Keeps a note about her for all of the office, with your name and the moment.',
  group: 'notes',
  fields: {
    text: {
      takes: noteText,
      label: 'Note',
      hint: 'It is in the data that she can download: name nobody else in it. 1,000 characters at most.',
      input: 'text',
    },
    callBack: {
      takes: mark,
      label: 'Somebody is to call her back',
      input: 'mark',
    },
  },
  whyNot: ({ record }) =>
    isBlank(record) ? 'Her personal data were removed: nothing more is noted about her.' : undefined,
  confirm: ({ callBack }) => (callBack ? 'Keep this note, and have her called back' : 'Keep this note'),
  plan: (standing, { text, callBack }) =>
    changing(standing, { kind: 'note', facts: { text, ...(callBack && { callBack }) } }, [
      { facts: [[callBack ? 'Call her back' : 'Note', text]] },
      callBack ? 'It stands with what needs the office, until somebody records that she was called.' : '',
      'It is on no page and in no message of hers, but in the data that she can download: name nobody else.',
    ]),
});

export const calledBack = plannedAct({
  id: 'called-back',
  heading: 'She was called back',
  sentence: 'Takes her off what needs the office, where a note asked for her to be called.',
  group: 'notes',
  whyNot: ({ record }) =>
    callsToMake(record).length > 0 ? undefined : 'No note asks for her to be called back.',
  confirm: () => 'Record that she was called back',
  plan: (standing) =>
    changing(standing, { kind: 'called-back' }, [
      'Nobody is to call her back any more. These notes asked for it:',
      { facts: callsToMake(standing.record).map((note) => [signed(note, standing.record), note.text]) },
    ]),
});

export const takeNoteBack = plannedAct({
  id: 'take-back-note',
  heading: 'Take a note back',
  sentence: 'Removes the text of a note that was a mistake; a call that it asked for is off.',
  group: 'notes',
  fields: {
    number: {
      takes: NUMBER,
      label: 'Which note',
      choices: ({ record }) =>
        heldNotes(record).map(({ number, text }) => ({
          value: String(number),
          words: `${number}: ${text.length > 60 ? `${[...text].slice(0, 60).join('')}…` : text}`,
        })),
    },
  },
  whyNot: ({ record }) => (heldNotes(record).length > 0 ? undefined : 'There is no note.'),
  confirm: ({ number }) => `Take note ${number} back`,
  plan(standing, { number }) {
    const { record } = standing;
    const note = heldNotes(record).find((one) => one.number === number);
    if (!note) throw impossible(`There is no note ${number} to be taken back.`);
    return changing(standing, { kind: WITHDRAWAL, undoes: note.id }, [
      { facts: [[signed(note, record), note.text]] },
      'Its text is removed for good. That there was a note, and who took it back, stays.',
    ]);
  },
});

/** A note's number, with who wrote it and when. */
export function signed({ number, by, at }: Note, record: RegistrationRecord): string {
  return `Note ${number}, ${by}, ${moment(at, record)}`;
}

function changing(
  { record, now: at, by }: Standing & { by: string },
  act: Omit<NewAct, 'at' | 'by'>,
  says: readonly Said[],
) {
  return {
    says,
    settles: { act, notes: record.notes },
    async carryOut(payments: Payments): Promise<void> {
      if (await changeNotes(payments, record, { ...act, at, by })) return;
      throw impossible('Somebody changed her notes or her data in this moment. Look at it, and try again.');
    },
  };
}
