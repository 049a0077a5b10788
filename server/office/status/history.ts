const KEPT_MINUTES = 24 * 60;
/** The minutes of a day, and the current one. */
const SLOTS = KEPT_MINUTES + 1;
const MINUTE_MS = 60_000;

/** Measures that are summed up in each minute. */
export const COUNTS = [
  'requests',
  'requestsFailed',
  'pageAnswers',
  'pageSeconds',
  'stripeAnswers',
  'stripeSeconds',
  'stripeFailed',
  'depositsBegun',
  'depositsPaid',
  'registrationsRefused',
  'signInsRefused',
] as const;
/** Measures of which each minute keeps the highest value. */
const LEVELS = ['mailsWaiting', 'mailsFailed', 'oldestMailSeconds', 'memoryBytes', 'holdUpSeconds'] as const;

export type Count = (typeof COUNTS)[number];
export type Level = (typeof LEVELS)[number];
export type Counts = ReadonlyMap<Count, number>;

/** The last 24 hours of a process, minute by minute, in its memory. */
export type History = ReturnType<typeof createHistory>;

/**
 * The slot of a minute follows from its number since the epoch, so values older than a day are overwritten: 98 kB in
 * all.
 */
export function createHistory() {
  const measures = [...COUNTS, ...LEVELS];
  const minuteOfSlot = new Int32Array(SLOTS);
  const slots = new Map(measures.map((measure) => [measure, new Float32Array(SLOTS)]));
  const read = (measure: Count | Level, minute: number): number | undefined => {
    if (minuteOfSlot[minute % SLOTS] !== minute) return undefined;
    const value = slots.get(measure)?.[minute % SLOTS];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  };
  const write = (measure: Count | Level, minute: number, value: number): void => {
    const values = slots.get(measure);
    if (values) values[minute % SLOTS] = value;
  };
  const clear = (minute: number): void => {
    minuteOfSlot[minute % SLOTS] = minute;
    for (const count of COUNTS) write(count, minute, 0);
    for (const level of LEVELS) write(level, minute, Number.NaN);
  };
  return {
    /** How much memory it takes; this does not grow. */
    bytes: minuteOfSlot.byteLength + measures.length * SLOTS * Float32Array.BYTES_PER_ELEMENT,
    /** @param levels without those that are unknown because Redis is unavailable */
    add(at: Date, counts: Counts, levels: Partial<Record<Level, number>>): void {
      const minute = minuteOf(at);
      if (minuteOfSlot[minute % SLOTS] !== minute) clear(minute);
      for (const count of COUNTS) write(count, minute, (read(count, minute) ?? 0) + (counts.get(count) ?? 0));
      for (const level of LEVELS) {
        const value = levels[level];
        if (value !== undefined) write(level, minute, Math.max(read(level, minute) ?? value, value));
      }
    },
    /** The completed minutes of the last day before a moment, the oldest first; undefined where nothing is known. */
    minutes(measure: Count | Level, until: Date): (number | undefined)[] {
      const first = minuteOf(until) - KEPT_MINUTES;
      return Array.from({ length: KEPT_MINUTES }, (_, index) => read(measure, first + index));
    },
    /** A count over the last minutes, including the current one. */
    sum(count: Count, minutes: number, until: Date): number {
      const last = minuteOf(until);
      const values = Array.from({ length: minutes }, (_, index) => read(count, last - index) ?? 0);
      return values.reduce((sum, value) => sum + value, 0);
    },
  };
}

const minuteOf = (at: Date): number => Math.floor(at.getTime() / MINUTE_MS);
