import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import type { ScheduledSession, Timetable } from './edition.ts';

type Recorded = Pick<ScheduledSession, 'recorded'>;

/** What is recorded of the given sessions, taken together: `audio and video`; undefined if nothing is. */
export function recordedOf(sessions: readonly Recorded[]): 'audio and video' | 'audio' | undefined {
  if (sessions.some(({ recorded }) => recorded === 'video')) return 'audio and video';
  return sessions.some(({ recorded }) => recorded) ? 'audio' : undefined;
}

/** What is recorded of one session, as a sentence. */
export function describeRecording(session: Recorded): string {
  const recorded = recordedOf([session]);
  return recorded ? `This session is recorded, ${recorded}.` : 'This session is not recorded.';
}

/** The recorded sessions of each day: `Opening session (video)`. Days without recordings are left out. */
export function recordedDays({ days }: Timetable): { title: string; text: string }[] {
  return days.flatMap(({ date, entries }) => {
    const sessions = entries.flatMap(({ note, session }) =>
      session?.recorded ? [`${note} (${session.recorded})`] : [],
    );
    const title = `${formatWeekday(date)}, ${formatMonthAndDay(date)}`;
    return sessions.length > 0 ? [{ title, text: sessions.join(', ') }] : [];
  });
}
