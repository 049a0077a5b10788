import { PracticalFacts } from '#client/ui/practical-facts.tsx';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { recordedDays } from '#shared/content/recordings.ts';
import { Section } from './parts.tsx';

const words = ownPageWords.recordings;

/** What was recorded, and the link to it, once the office has announced it. */
export function RecordingsSection({ view: { recordings, edition } }: { view: OwnPageView }) {
  if (!recordings) return null;
  return (
    <Section className="place-practical place-recordings" id="recordings" title={words.title}>
      {recordings.url ? (
        <>
          <p>
            <a className="button" href={recordings.url} rel="noopener noreferrer">
              {words.open}
            </a>
          </p>
          <p>{words.discretion}</p>
        </>
      ) : (
        <p>{words.oncePaid}</p>
      )}
      <PracticalFacts title={words.list} facts={recordedDays(edition.timetable)} />
    </Section>
  );
}
