const OFFSET_PART = /GMT([+-]\d{2}:\d{2})?$/;

/**
 * A local date and time, such as `2027-03-08T17:30`, with the time zone's UTC offset at that moment, daylight
 * saving included: `2027-03-08T17:30-08:00`. A local time that the clocks skip is treated as one hour later.
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

/** The local date and time this many minutes later, ignoring changes of the UTC offset. */
export function addMinutes(localTime: string, minutes: number): string {
  const milliseconds = Date.parse(`${localTime}Z`) + minutes * 60_000;
  return new Date(milliseconds).toISOString().slice(0, 16);
}

/** The date this many days after another; before it for a negative number. */
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
