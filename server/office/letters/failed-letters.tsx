import { letterTable } from '#server/letters/table.ts';
import { type FoundLetter, letterName } from '#server/office/commands/letters.ts';
import { Moment, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

/** The newest letters that failed for good, and how many there are in all. */
export interface FailedLetters {
  count: number;
  newest: readonly FoundLetter[];
}

/** Which letters did not get through, with the answers of the mail server, and a press that tries all again. */
export function FailedLettersSection({ failed, token }: { failed: FailedLetters; token: string }) {
  if (failed.count === 0) return null;
  return (
    <Section id="failed" title={`Messages that failed: ${failed.count}`}>
      <p>
        Each can be tried again or dismissed on the page of its registration. Once the reason is mended, all
        of them can be tried again at once:
      </p>
      <PressForm action={officePaths.letters} token={token}>
        <button type="submit" className="button button--quiet">
          Try all failed messages again
        </button>
      </PressForm>
      <ul className="letter-list">
        {failed.newest.map((found) => (
          <li key={found.id} className="letter letter--failed">
            <FailedLetter found={found} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FailedLetter({ found }: { found: FoundLetter }) {
  const { job, letter } = found;
  const { attemptsMade = 0, finishedOn, failedReason } = job ?? {};
  const words = letterName(letter);
  const { about, to } = letter ? letterTable[letter.kind] : {};
  const isRegistration = about === 'registration' || (about === 'request' && to === 'registrant');
  return (
    <div>
      <h3>
        {letter && isRegistration ? <a href={officePaths.registration(letter.subject)}>{words}</a> : words}
      </h3>
      <p>
        To {to === 'office' ? 'the office' : letter?.address || 'somebody'}. Failed on{' '}
        {finishedOn && <Moment at={new Date(finishedOn)} record={{ edition }} />} after{' '}
        {attemptsMade === 1 ? 'one try' : `${attemptsMade} tries`}.
      </p>
      {failedReason && <p className="fine">The answer was: {failedReason}</p>}
    </div>
  );
}
