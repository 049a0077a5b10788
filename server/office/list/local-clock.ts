import { tellZonedTime } from '#shared/zoned-time.ts';

const SLOT_MS = 15 * 60_000;

/** Tells many moments as the clocks of one time zone show them. */
export interface LocalClock {
  /** `2025-12-21` */
  dateOf(at: Date): string;
  /** `2025-12-21 17:00` */
  minuteOf(at: Date): string;
}

/**
 * Zones change their distance from UTC at a quarter of an hour only, so it is asked for once for each: 50,000 moments, as
 * a spreadsheet of 10,000 registrations has them, would take most of a second otherwise.
 */
export function localClock(timeZone: string): LocalClock {
  const shifts = new Map<number, number>();
  const shiftOf = (slot: number): number => {
    const known = shifts.get(slot);
    if (known !== undefined) return known;
    const { date, clock } = tellZonedTime(new Date(slot), timeZone, '24');
    const shift = Date.parse(`${date}T${clock}Z`) - slot;
    shifts.set(slot, shift);
    return shift;
  };
  const tell = (at: Date): string => {
    const ms = at.getTime();
    return new Date(ms + shiftOf(Math.floor(ms / SLOT_MS) * SLOT_MS)).toISOString();
  };
  return {
    dateOf: (at) => tell(at).slice(0, 10),
    minuteOf: (at) => tell(at).slice(0, 16).replace('T', ' '),
  };
}
