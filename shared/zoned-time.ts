interface ZonedTime {
  date: string;
  /** `13:30` or `1:30 pm`, kept on one line. */
  clock: string;
  /** `Fri, Jan 23`, kept on one line. */
  day: string;
}

export type HourCycle = '12' | '24';

const NBSP = '\u00a0';

/**
 * Converts a moment to the local time of a time zone, daylight saving included.
 * @throws {RangeError} for a time zone that `Intl` does not know
 */
export function tellZonedTime(moment: Date, timeZone: string, hourCycle: HourCycle): ZonedTime {
  const clock = formatOf('en-US', {
    hour: hourCycle === '24' ? '2-digit' : 'numeric',
    minute: '2-digit',
    timeZone,
    hourCycle: hourCycle === '24' ? 'h23' : 'h12',
  });
  const day = formatOf('en-US', { weekday: 'short', month: 'short', day: 'numeric', timeZone });
  return {
    date: formatOf('sv-SE', { dateStyle: 'short', timeZone }).format(moment),
    clock: clock.format(moment).toLowerCase().replace(/\s/, NBSP),
    day: day.format(moment).replaceAll(' ', NBSP),
  };
}

export function zonesAgree(moments: readonly Date[], oneZone: string, otherZone: string): boolean {
  return moments.every((moment) => {
    const [one, other] = [oneZone, otherZone].map((zone) => tellZonedTime(moment, zone, '24'));
    return one?.date === other?.date && one?.clock === other?.clock;
  });
}

/** Whether `Intl` supports the zone: browsers may report one that it does not, such as `Etc/Unknown`. */
export function isKnownTimeZone(timeZone: string): boolean {
  try {
    formatOf('en-US', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Zones that browsers report and list under a former name, each with its current one.
 * @see https://data.iana.org/time-zones/tzdb/backward
 */
const RENAMED = new Map(
  Object.entries({
    'Africa/Asmera': 'Africa/Asmara',
    'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
    'America/Catamarca': 'America/Argentina/Catamarca',
    'America/Coral_Harbour': 'America/Atikokan',
    'America/Cordoba': 'America/Argentina/Cordoba',
    'America/Godthab': 'America/Nuuk',
    'America/Indianapolis': 'America/Indiana/Indianapolis',
    'America/Jujuy': 'America/Argentina/Jujuy',
    'America/Louisville': 'America/Kentucky/Louisville',
    'America/Mendoza': 'America/Argentina/Mendoza',
    'Asia/Calcutta': 'Asia/Kolkata',
    'Asia/Katmandu': 'Asia/Kathmandu',
    'Asia/Rangoon': 'Asia/Yangon',
    'Asia/Saigon': 'Asia/Ho_Chi_Minh',
    'Atlantic/Faeroe': 'Atlantic/Faroe',
    'Europe/Kiev': 'Europe/Kyiv',
    'Pacific/Enderbury': 'Pacific/Kanton',
    'Pacific/Ponape': 'Pacific/Pohnpei',
    'Pacific/Truk': 'Pacific/Chuuk',
  }),
);

export function currentTimeZone(timeZone: string): string {
  const current = RENAMED.get(timeZone);
  return current !== undefined && isKnownTimeZone(current) ? current : timeZone;
}

/** The zone of this browser, perhaps by a former name; empty if it reports none that it knows. */
export function ownTimeZone(): string {
  const { timeZone }: { timeZone?: string } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isKnownTimeZone(timeZone) ? timeZone : '';
}

/** A time zone as people call it: `America/New_York` -> `Eastern Time`. */
export function formatTimeZone(timeZone: string): string {
  const format = formatOf('en-US', { timeZone, timeZoneName: 'longGeneric' });
  const name = format.formatToParts().find(({ type }) => type === 'timeZoneName');
  return name?.value ?? timeZone;
}

/** A cached format takes about 27 kB. */
const MAX_CACHED = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

/**
 * Caches formats: creating one takes fifty times as long as using it. Budget: mails, 0.8 of bare nodemailer.
 */
export function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const format = kept.get(name) ?? new Intl.DateTimeFormat(locale, options);
  if (kept.size >= MAX_CACHED) kept.clear();
  kept.set(name, format);
  return format;
}
