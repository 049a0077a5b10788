import { addNote, calledBack, signed } from '#server/acts/notes.ts';
import type { Situation } from '#server/acts/registration-act.ts';
import { ActFields } from '#server/office/acts/act-form.tsx';
import { LinkLine, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { callsToMake, heldNotes } from '#server/record/notes.ts';
import type { SignedIn } from '#server/users/user.ts';

interface NotesProps {
  situation: Situation;
  signedIn: SignedIn;
  mayAct: boolean;
}

/** What the office noted about her, the newest first, and the form for another note. */
export function NotesSection({ situation, signedIn, mayAct }: NotesProps) {
  const { record } = situation;
  const notes = heldNotes(record).toReversed();
  const calls = callsToMake(record);
  const isNoted = mayAct && addNote.whyNot(situation) === undefined;
  if (notes.length === 0 && !isNoted) return null;
  return (
    <Section className="registration-section" id="notes" title="Notes">
      {notes.length > 0 && (
        <ul className="note-list">
          {notes.map((note) => (
            <li key={note.number}>
              <p className="note-text">{note.text}</p>
              <p className="registration-fine">
                {signed(note, record)}
                {calls.includes(note) && <strong className="office-need">Call her back</strong>}
              </p>
            </li>
          ))}
        </ul>
      )}
      {mayAct && calls.length > 0 && (
        <LinkLine to={officePaths.act(record.id, calledBack.id)}>{calledBack.heading}</LinkLine>
      )}
      {isNoted && (
        <details className="not-now">
          <summary>{addNote.heading}</summary>
          <ActFields
            {...{ act: addNote, situation, signedIn }}
            action={officePaths.act(record.id, addNote.id)}
            typed={{}}
          />
        </details>
      )}
    </Section>
  );
}
