const OFFSET_PART = /GMT([+-]\d{2}:\d{2})?$/;

/**
 * A local date and time, such as `2027-03-08T17:30`, with the distance from UTC that a time zone has at that moment,
 * daylight saving included: `2027-03-08T17:30-08:00`. An hour that the clocks skip is taken as the one after it.
 * @throws {RangeError} for a time zone that `Intl` does not know
 */
export function withUtcOffset(localTime: string, timeZone: string): string {
  const guess = offsetAt(new Date(`${localTime}Z`), timeZone);
  const offset = offsetAt(new Date(`${localTime}${guess}`), timeZone);
  const found = `${localTime}${offset}`;
  if (offsetAt(new Date(found), timeZone) === offset) return found;
  const other = `${localTime}${guess}`;
  return Date.parse(other) > Date.parse(found) ? other : found;
}

/** `75` minutes after a local date and time, on the same clock. */
export function addMinutes(localTime: string, minutes: number): string {
  const milliseconds = Date.parse(`${localTime}Z`) + minutes * 60_000;
  return new Date(milliseconds).toISOString().slice(0, 16);
}

/** The date so many days after another; before it for a negative number. */
export function addDays(isoDate: string, days: number): string {
  return addMinutes(`${isoDate}T00:00`, days * 24 * 60).slice(0, 10);
}

/** The date at a moment in a time zone, such as `2027-03-08`. */
export function dateAt(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(moment);
}

function offsetAt(moment: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const [, offset = '+00:00'] = OFFSET_PART.exec(format.format(moment)) ?? [];
  return offset;
}
