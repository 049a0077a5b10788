import { callsToMake, isBlank } from '#server/registration/registration.ts';
import { mark, note } from './inputs.ts';
import { eventCommand } from './registration-command.ts';

/** A note is for the office only, and may ask for a call: the office is told until she was called back. */
export const addNote = eventCommand({
  id: 'note',
  heading: 'Add a note',
  sentence: 'Keeps a note about her for all of the office, with your name and the moment.',
  group: 'talk',
  fields: {
    text: {
      takes: note,
      label: 'Note',
      hint: 'It is in the data that she can download: name nobody else in it. 1,000 characters at most.',
      input: 'text',
    },
    callBack: { takes: mark, label: 'Somebody is to call her back', input: 'mark' },
  },
  refuses: ({ record }) =>
    isBlank(record) ? 'Her personal data were removed: nothing more is noted about her.' : undefined,
  button: ({ callBack }) => (callBack ? 'Keep this note, and have her called back' : 'Keep this note'),
  events: (_, { text, callBack }) => [{ kind: 'note', facts: { text, ...(callBack && { callBack }) } }],
});

export const calledBack = eventCommand({
  id: 'called-back',
  heading: 'She was called back',
  sentence: 'Takes her off what needs the office, where a note asked for her to be called.',
  group: 'talk',
  refuses: ({ record }) =>
    callsToMake(record).length > 0 ? undefined : 'No note asks for her to be called back.',
  events: () => [{ kind: 'called-back' }],
});
