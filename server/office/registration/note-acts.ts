import * as v from 'valibot';
import { mark, note } from '#server/acts/given.ts';
import {
  addNote,
  calledBack,
  takeNoteBack,
  whyNoNoteTakenBack,
  whyNotCalledBack,
  whyNotNoted,
} from '#server/acts/notes.ts';
import { heldNotes } from '#server/record/notes.ts';
import { registrationAct } from './registration-act.ts';

/** The act whose form is also beside her notes. */
export const noteAct = registrationAct({
  id: 'note',
  heading: 'Add a note',
  sentence: 'Keeps a note about her for all of the office, with your name and the moment.',
  group: 'notes',
  takes: {
    text: note('Please write the note', 'Please use 1,000 characters at most'),
    callBack: mark,
  },
  fields: {
    text: {
      label: 'Note',
      hint: 'She never sees it on her page, but it is in the export of her data. 1,000 characters at most.',
      input: 'text',
    },
    callBack: { label: 'Somebody is to call her back', input: 'mark' },
  },
  whyNot: ({ record }) => whyNotNoted(record),
  run: (context, { record }, given, asked) => addNote(context, record.id, given, asked),
  confirm: ({ callBack }) => (callBack ? 'Keep this note, and have her called back' : 'Keep this note'),
});

/** Acts about what the office notes of her. */
export const noteActs = [
  noteAct,
  registrationAct({
    id: 'called-back',
    heading: 'She was called back',
    sentence: 'Takes her off what needs the office, where a note asked for her to be called.',
    group: 'notes',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNotCalledBack(record),
    run: (context, { record }, _given, asked) => calledBack(context, record.id, asked),
    confirm: () => 'Record that she was called back',
  }),
  registrationAct({
    id: 'take-back-note',
    heading: 'Take a note back',
    sentence: 'Removes the text of a note that was a mistake; a call that it asked for is off.',
    group: 'notes',
    takes: {
      number: v.pipe(v.string(), v.nonEmpty('Please choose a note'), v.transform(Number)),
    },
    fields: {
      number: {
        label: 'Which note',
        input: 'choice',
        choices: ({ record }) =>
          heldNotes(record).map(({ number, text }) => ({
            value: String(number),
            words: `${number}: ${text.length > 60 ? `${[...text].slice(0, 60).join('')}…` : text}`,
          })),
      },
    },
    whyNot: ({ record }) => whyNoNoteTakenBack(record),
    run: (context, { record }, given, asked) => takeNoteBack(context, record.id, given.number, asked),
    confirm: ({ number }) => `Take note ${number} back`,
  }),
];
