import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import type { Timetable } from './edition.ts';

/** What is recorded, day by day, in words: `Opening session (video)`. Days without any are left out. */
export function recordedDays({ days }: Timetable): { title: string; text: string }[] {
  return days.flatMap(({ date, entries }) => {
    const sessions = entries.flatMap(({ note, session }) =>
      session?.recorded ? [`${note} (${session.recorded})`] : [],
    );
    const title = `${formatWeekday(date)}, ${formatMonthAndDay(date)}`;
    return sessions.length > 0 ? [{ title, text: sessions.join(', ') }] : [];
  });
}
