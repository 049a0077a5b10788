import type { Edition, ScheduledSession } from './edition.ts';

export type RetreatNow =
  | { kind: 'quiet' }
  | {
      kind: 'test-session' | 'retreat';
      on: ScheduledSession | undefined;
      next: ScheduledSession | undefined;
    }
  /** From the end of the last session on. */
  | { kind: 'recordings-to-come'; at: Date };

export function retreatNow({ timetable }: Pick<Edition, 'timetable'>, now: Date): RetreatNow {
  const { letters, sessions, testSession } = timetable;
  const isPast = (moment: string | undefined) => moment !== undefined && new Date(moment) <= now;
  const among = (all: readonly ScheduledSession[]) => ({
    on: all.find(({ startsAt, endsAt }) => isPast(startsAt) && !isPast(endsAt)),
    next: all.find(({ startsAt }) => !isPast(startsAt)),
  });
  if (isPast(sessions.at(-1)?.endsAt))
    return letters.recordings ? { kind: 'recordings-to-come', at: new Date(letters.recordings) } : QUIET;
  if (isPast(letters.wayIn[0]?.at)) return { kind: 'retreat', ...among(sessions) };
  const isTest = isPast(letters.testSession) && !isPast(testSession.endsAt);
  return isTest ? { kind: 'test-session', ...among([testSession]) } : QUIET;
}

const QUIET: RetreatNow = { kind: 'quiet' };
