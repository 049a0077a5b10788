import { letterWordsOf } from '#server/acts/letter-acts.ts';
import { sentence } from '#server/acts/plain-words.ts';
import type { Situation } from '#server/acts/registration-act.ts';
import { timelineOf } from '#server/acts/timeline.ts';
import { Moment, Section } from '#server/office/parts.tsx';
import { sentAt } from './shown-letters.ts';

/** What happened to a registration, the oldest first. */
export function TimelineSection({ record, letters, messages }: Situation) {
  const happened = [
    ...timelineOf(record, []),
    ...letters.map((letter) => happeningOf(letter, messages)),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return (
    <Section className="registration-section" id="timeline" title="What happened">
      <ol className="timeline">
        {happened.map(({ at, what }) => (
          <li key={`${at.getTime()} ${what}`}>
            <Moment at={at} record={record} /> <span>{sentence(what)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

const LETTER_STATES = {
  sent: 'was sent',
  failed: 'failed',
  delayed: 'waits for its next try',
  waiting: 'waits',
  sending: 'is being sent',
} as const;

function happeningOf(found: Situation['letters'][number], messages: Situation['messages']) {
  const { askedBy } = found.letter ?? {};
  const at = found.state === 'sent' ? sentAt(found) : new Date(found.job.finishedOn ?? found.job.timestamp);
  const asked = askedBy === undefined ? '' : `, asked for by ${askedBy}`;
  return {
    at,
    what: `letter “${letterWordsOf(found.letter, messages)}” ${LETTER_STATES[found.state]}${asked}`,
  };
}
