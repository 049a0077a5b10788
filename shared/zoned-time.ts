/** A moment on a wall clock somewhere. */
export interface ZonedTime {
  /** ISO date. */
  date: string;
  /** `13:30` or `1:30 pm`, kept on one line. */
  clock: string;
  /** `Fri, Jan 23`, kept on one line. */
  day: string;
}

export type HourCycle = '12' | '24';

const NBSP = '\u00a0';

/**
 * Tells a moment as the clocks of a time zone show it, daylight saving included.
 * @throws {RangeError} for a time zone that `Intl` does not know
 */
export function tellZonedTime(moment: Date, timeZone: string, hourCycle: HourCycle): ZonedTime {
  const hours = { hour: hourCycle === '24' ? '2-digit' : 'numeric', minute: '2-digit' } as const;
  const clock = new Intl.DateTimeFormat('en-US', {
    ...hours,
    timeZone,
    hourCycle: hourCycle === '24' ? 'h23' : 'h12',
  });
  const day = new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone,
  });
  return {
    date: isoDate(moment, timeZone),
    clock: clock.format(moment).toLowerCase().replace(/\s/, NBSP),
    day: day.format(moment).replaceAll(' ', NBSP),
  };
}

/** Whether two zones' clocks agree at all of some moments. */
export function zonesAgree(moments: readonly Date[], oneZone: string, otherZone: string): boolean {
  return moments.every((moment) => {
    const [one, other] = [oneZone, otherZone].map((zone) => tellZonedTime(moment, zone, '24'));
    return one?.date === other?.date && one?.clock === other?.clock;
  });
}

/** Whether `Intl` can tell the time there: browsers may report a zone, such as `Etc/Unknown`, that it refuses. */
export function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A time zone as people call it: `America/New_York` -> `Eastern Time`. */
export function formatTimeZone(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' });
  const name = format.formatToParts().find(({ type }) => type === 'timeZoneName');
  return name?.value ?? timeZone;
}

function isoDate(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(moment);
}
