import { recordedOf } from '#shared/content/recordings.ts';
import { sessionsOf } from './fill-words.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';
import { type FoundText, textsOf } from './texts-of.ts';

/** The placeholders for what is recorded, in the middle of a sentence and at its beginning, and until when it can be seen. */
export const recordingWords: ReadonlySet<string> = new Set(['recorded', 'Recorded', 'recordingsUntil']);

const PLACEHOLDER = /\{[Rr]ecorded\}/;
/** `recording`, `recordings`, `was recorded`; not `record`, which is also what people hold. */
const ON_RECORDING = /\brecord(?:ed|ings?)\b/i;
const BY_HAND = /\b(?:audio|video|film|sound)(?:\s+and\s+\w+)?[\s-]+record/i;
const VIDEO = /\bvideo[\s-]+record/i;
const EVERY_SESSION = /\b(?:every|each|all)\b[^.;:]*\bsessions?\b[^.;:]*\brecord/i;

/**
 * Finds texts in terms, page, FAQ or package that contradict `schedule.yaml` about recordings. Registrants
 * agree to being recorded by accepting the terms, so the terms must take the words for what is recorded from
 * `schedule.yaml`.
 */
export function checkRecordings({ written, problem }: EditionFolder): ContentProblem[] {
  const sessions = sessionsOf(written.schedule);
  const problems = textsOf(written)
    .filter(isPromise)
    .flatMap(({ file, field, text }) => {
      const says = wrongIn(text, file, sessions);
      return says ? [problem(file, field, says)] : [];
    });
  const recorded = recordedOf(sessions);
  if (recorded && !PLACEHOLDER.test(JSON.stringify(written.terms))) {
    const says = `sessions are recorded, ${recorded}, and nobody agrees to it: write a policy about it, with {recorded}`;
    problems.push(problem('terms', ['policies'], says));
  }
  return problems;
}

function wrongIn(text: string, file: keyof Written, sessions: Sessions): string | undefined {
  const recorded = recordedOf(sessions);
  if (!recorded)
    return ON_RECORDING.test(text) || PLACEHOLDER.test(text)
      ? 'no session is recorded: take this out, or say in schedule.yaml which are'
      : undefined;
  if (file === 'terms' && BY_HAND.test(text))
    return `it says by hand what is recorded: write {recorded}, which is filled in, ${recorded} at present`;
  if (recorded === 'audio' && VIDEO.test(text))
    return 'no session is recorded as a video: say so here, or correct schedule.yaml';
  if (sessions.some((session) => !session.recorded) && EVERY_SESSION.test(text))
    return 'not every session is recorded: say which are not, such as small groups, or correct schedule.yaml';
  return undefined;
}

type Sessions = ReturnType<typeof sessionsOf>;

/** Whether a text promises something about the retreat. */
const isPromise = ({ file, field: [first] }: FoundText): boolean =>
  PROMISING.has(file) || (file === 'edition' && first === 'package');

const PROMISING: ReadonlySet<keyof Written> = new Set(['terms', 'page', 'faq']);
