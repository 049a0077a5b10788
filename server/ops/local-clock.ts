import { oncePer } from '#shared/once-per.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Formats many moments in one time zone. */
interface LocalClock {
  /** `2025-12-21` */
  dateOf(at: Date): string;
  /** `2025-12-21 17:00` */
  minuteOf(at: Date): string;
}

/**
 * Looks up a zone's offset from UTC once per day, if it is the same at both ends of the day: otherwise the
 * 50,000 moments of a spreadsheet with 10,000 registrations would take a second.
 */
export const localClock = oncePer((timeZone: string): LocalClock => {
  const shifts = new Map<number, number | undefined>();
  /** Offsets are whole minutes. */
  const shiftAt = (ms: number): number => {
    const minute = Math.floor(ms / 60_000) * 60_000;
    const { date, clock } = tellZonedTime(new Date(minute), timeZone, '24');
    return Date.parse(`${date}T${clock}Z`) - minute;
  };
  const shiftOf = (ms: number): number => {
    const day = Math.floor(ms / DAY_MS);
    if (!shifts.has(day)) {
      const [start, end] = [shiftAt(day * DAY_MS), shiftAt((day + 1) * DAY_MS)];
      shifts.set(day, start === end ? start : undefined);
    }
    return shifts.get(day) ?? shiftAt(ms);
  };
  const tell = (at: Date): string => new Date(at.getTime() + shiftOf(at.getTime())).toISOString();
  return {
    dateOf: (at) => tell(at).slice(0, 10),
    minuteOf: (at) => tell(at).slice(0, 16).replace('T', ' '),
  };
});
