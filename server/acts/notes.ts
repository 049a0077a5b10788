import {
  callsToMake,
  heldNotes,
  isBlank,
  type Note,
  type NoteChange,
  type Noted,
} from '#server/record/notes.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, type Said, type Told } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/** Adds a note to a registration, for the office only; with `callBack` the office is told until she was called back. */
export function addNote(
  context: ActContext,
  id: string,
  { text, callBack }: { text: string; callBack: boolean },
  asked: Asked,
): Promise<Told> {
  return changeFor(context, id, asked, whyNotNoted, () => ({
    change: { adds: { text, ...(callBack && { callBack }) } },
    says: [
      { facts: [[callBack ? 'Call her back' : 'Note', text]] },
      ...(callBack
        ? ['It stands with what needs the office, until somebody records that she was called.']
        : []),
      'She does not see it on her page or in a letter. It is in the export of her data.',
    ],
  }));
}

/** Records that she was called back: the notes that asked for it need nobody any more. */
export function calledBack(context: ActContext, id: string, asked: Asked): Promise<Told> {
  return changeFor(context, id, asked, whyNotCalledBack, (record) => ({
    change: 'called-back',
    says: [
      'Nobody is to call her back any more. These notes asked for it:',
      { facts: callsToMake(record).map((note) => [signed(note, record), note.text]) },
    ],
  }));
}

/** Takes a note back that was a mistake: its text is removed for good. */
export function takeNoteBack(context: ActContext, id: string, number: number, asked: Asked): Promise<Told> {
  return changeFor(context, id, asked, whyNoNoteTakenBack, (record) => {
    const note = heldNotes(record).find((one) => one.number === number);
    if (!note) throw new Refusal('wrongState', `There is no note ${number} to be taken back.`);
    return {
      change: { takesBack: number },
      says: [
        { facts: [[signed(note, record), note.text]] },
        'Its text is removed for good. That there was a note, and who took it back, stays.',
      ],
    };
  });
}

/** Why nothing can be noted about her; undefined if it can. */
export function whyNotNoted(noted: Noted): string | undefined {
  return isBlank(noted) ? 'Her personal data were removed: nothing more is noted about her.' : undefined;
}

/** Why nobody is to call her back; undefined if somebody is. */
export function whyNotCalledBack(noted: Noted): string | undefined {
  return callsToMake(noted).length > 0 ? undefined : 'No note asks for her to be called back.';
}

/** Why no note can be taken back; undefined if one can. */
export function whyNoNoteTakenBack(noted: Noted): string | undefined {
  return heldNotes(noted).length > 0 ? undefined : 'There is no note.';
}

/** A note's number, with who wrote it and when. */
export function signed({ number, by, at }: Note, record: RegistrationRecord): string {
  return `Note ${number}, ${by}, ${moment(at, record)}`;
}

async function changeFor(
  context: ActContext,
  id: string,
  asked: Asked,
  whyNot: (noted: Noted) => string | undefined,
  plan: (record: RegistrationRecord) => { change: NoteChange; says: readonly Said[] },
): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const why = whyNot(record);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const { change, says } = plan(record);
  const at = await context.now();
  const settles = { change, notes: record.notes };
  return carryOutFor(context, record, asked, { says, settles }, async (register) => {
    if (await register.changeNotes(record, change, { at, by: asked.by })) return [];
    throw new Refusal(
      'wrongState',
      'Somebody changed her notes or her data in this moment. Look at it, and try again.',
    );
  });
}
