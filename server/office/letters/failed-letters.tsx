import { letterWordsOf } from '#server/acts/letter-acts.ts';
import { type FoundJob, recordOf } from '#server/acts/mail-jobs.ts';
import { Moment, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

/** The newest letters that failed for good, and how many there are in all. */
export interface FailedLetters {
  count: number;
  newest: readonly FoundJob[];
}

/** Which letters did not get through, with the answers of the mail server, and a press that tries all again. */
export function FailedLettersSection({ failed, token }: { failed: FailedLetters; token: string }) {
  if (failed.count === 0) return null;
  return (
    <Section className="registration-section" id="failed" title={`Messages that failed: ${failed.count}`}>
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
          <li key={found.job.id} className="letter letter--failed">
            <FailedLetter found={found} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FailedLetter({ found }: { found: FoundJob }) {
  const { paymentIntentId, to, attemptsMade, finishedAt, reason } = recordOf(found);
  const words = letterWordsOf(found.letter, []);
  return (
    <div>
      <h3>{paymentIntentId ? <a href={officePaths.registration(paymentIntentId)}>{words}</a> : words}</h3>
      <p>
        To {to ?? 'the office'}. Failed on {finishedAt && <Moment at={finishedAt} record={{ edition }} />}{' '}
        after {attemptsMade === 1 ? 'one try' : `${attemptsMade} tries`}.
      </p>
      {reason && <p className="registration-fine">The answer was: {reason}</p>}
    </div>
  );
}
