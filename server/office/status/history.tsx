import { DataTable } from '#server/office/parts.tsx';
import { formatMoment } from './look.ts';

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
type Level = (typeof LEVELS)[number];
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

const WIDTH = 576;
const HEIGHT = 96;
/** Margin for the full width of a line at the edge. */
const EDGE = 4;

/** A day's numbers as a small picture, in words and, in a fold-out table, hour by hour. */
export function Sparkline({ picture, until }: { picture: Picture; until: Date }) {
  const { name, means, lines } = picture;
  const hours = hoursOf(picture, until);
  return (
    <figure className="sparkline">
      <figcaption>
        <h3>{name}</h3>
        <p className="sparkline-means">{means}</p>
      </figcaption>
      <Drawing {...picture} />
      <ul className="sparkline-words">
        {lines.map((line) => (
          <li key={line.name}>{inWords(line)}</li>
        ))}
      </ul>
      {hours.length > 0 && (
        <details>
          <summary>
            Hour by hour<span className="visually-hidden">: {name}</span>
          </summary>
          <DataTable
            className=""
            caption={<span className="visually-hidden">{name}, hour by hour: least and most</span>}
            head={['Hour from', ...lines.map((line) => line.name)]}
            rows={hours.map(({ startsAt, ranges }) => [
              formatMoment(startsAt),
              ...lines.map((line, index) => formatRange(line, ranges[index])),
            ])}
          />
        </details>
      )}
    </figure>
  );
}

function Drawing({ name, lines }: Picture) {
  const drawn = lines.map((line) => ({ name: line.name, points: pointsOf(line) }));
  const isLine = drawn.some(({ points }) => points.filter((value) => value !== undefined).length > 1);
  if (!isLine) return <p className="sparkline-none">Too little is known yet to be drawn.</p>;
  const most = Math.max(1, ...drawn.map(({ points }) => rangeOf(points)?.most ?? 0));
  const last = Math.max(...drawn.map(({ points }) => points.length)) - 1;
  const pathOf = (points: Values): string =>
    points
      .map((value, index) => {
        if (value === undefined) return '';
        const x = Math.round(EDGE + (index / last) * (WIDTH - 2 * EDGE));
        const y = Math.round(HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE));
        // Without a length, a point between two gaps would not be drawn.
        return points[index - 1] === undefined ? `M${x},${y}h0` : `L${x},${y}`;
      })
      .join('');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${name}: ${lines.map(inWords).join('; ')}`}
    >
      {drawn.map((line) => (
        <path key={line.name} d={pathOf(line.points)} fill="none" strokeLinecap="round" />
      ))}
    </svg>
  );
}

function inWords(line: Line): string {
  const range = rangeOf(line.values);
  if (!range) return `${line.name}: not known yet`;
  const [last, least, most] = [range.last, range.least, range.most].map((value) => formatValue(value, line));
  const all = line.isCount ? `, in all ${formatValue(range.sum, line)}` : '';
  return `${line.name}: now ${last}, least ${least}, most ${most}${all}`;
}

function formatRange(line: Line, range: ReturnType<typeof rangeOf>): string {
  if (!range) return '–';
  const [least, most] = [range.least, range.most].map((value) => formatValue(value, line));
  return least === most ? `${most}` : `${least} to ${most}`;
}

/** A picture has one point for this many minutes, with their highest value: an operator looks for what was wrong. */
const POINT_MINUTES = 5;
const HOUR_MINUTES = 60;

type Values = readonly (number | undefined)[];

/** One measure of a picture, minute by minute. */
interface Line {
  name: string;
  values: Values;
  /** Such as `ms`. */
  unit?: string | undefined;
  /** The sum of all minutes is meaningful. */
  isCount?: true;
}

/** A day's numbers that belong together. */
interface Picture {
  name: string;
  /** What the picture shows, in half a sentence. */
  means: string;
  lines: readonly Line[];
}

/** What an operator looks at first at night, over the 24 hours before a moment. */
export function drawPictures(history: History, until: Date): Picture[] {
  const of = (measure: Count | Level, factor = 1): Values =>
    history.minutes(measure, until).map((value) => value && value * factor);
  const mean = (seconds: Count, answers: Count): Values => {
    const counts = of(answers);
    return of(seconds, 1000).map((ms, index) => {
      const count = counts[index] ?? 0;
      return ms === undefined || count === 0 ? undefined : ms / count;
    });
  };
  const count = (name: string, measure: Count): Line => ({ name, values: of(measure), isCount: true });
  const level = (name: string, values: Values, unit?: string): Line => ({ name, values, unit });
  return [
    picture('Requests a minute', 'how many visitors are there', [count('requests', 'requests')]),
    picture('Failures a minute', 'errors that visitors saw, and calls that Stripe failed', [
      count('answers', 'requestsFailed'),
      count('calls to Stripe', 'stripeFailed'),
    ]),
    picture('Speed of the app', 'how long the page takes, and how long everything waited for one task', [
      level('page', mean('pageSeconds', 'pageAnswers'), 'ms'),
      level('longest wait', of('holdUpSeconds', 1000), 'ms'),
    ]),
    picture('Registrations a minute', 'whether people come through to the payment', [
      count('begun', 'depositsBegun'),
      count('paid', 'depositsPaid'),
    ]),
    picture('Mails on the queue', 'whether they go out', [
      level('waiting', of('mailsWaiting')),
      level('failed', of('mailsFailed')),
    ]),
    picture('Oldest mail that waits', 'for how long none has gone out', [
      level('age', of('oldestMailSeconds', 1 / 60), 'min'),
    ]),
    picture('Stripe’s time to answer', 'how long a payment keeps visitors waiting', [
      level('mean', mean('stripeSeconds', 'stripeAnswers'), 'ms'),
    ]),
    picture('Memory', 'whether the app grows towards its limit', [
      level('in use', of('memoryBytes', 1e-6), 'MB'),
    ]),
  ];
}

const picture = (name: string, means: string, lines: readonly Line[]): Picture => ({ name, means, lines });

/** The points of a line, each the highest of its minutes. */
function pointsOf({ values }: Line): Values {
  const count = Math.ceil(values.length / POINT_MINUTES);
  return Array.from({ length: count }, (_, index) => {
    const start = index * POINT_MINUTES;
    return rangeOf(values.slice(start, start + POINT_MINUTES))?.most;
  });
}

/** The last known value, the least, the greatest and the sum; undefined where nothing is known. */
function rangeOf(values: Values) {
  const known = values.filter((value) => value !== undefined);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const sum = known.reduce((total, value) => total + value, 0);
  return { last, least: Math.min(...known), most: Math.max(...known), sum };
}

/**
 * The hours of a picture in which anything is known, the latest first, with the least and the greatest value of each
 * line.
 */
function hoursOf({ lines }: Picture, until: Date) {
  const length = lines[0]?.values.length ?? 0;
  const endMinute = Math.floor(until.getTime() / MINUTE_MS);
  const firstMinute = endMinute - length;
  const lastHour = Math.floor((endMinute - 1) / HOUR_MINUTES);
  const count = lastHour - Math.floor(firstMinute / HOUR_MINUTES) + 1;
  const hours = Array.from({ length: count }, (_, before) => {
    const minute = (lastHour - before) * HOUR_MINUTES;
    const start = minute - firstMinute;
    const ranges = lines.map(({ values }) => rangeOf(values.slice(Math.max(0, start), start + HOUR_MINUTES)));
    return { startsAt: new Date(minute * MINUTE_MS), ranges };
  });
  return hours.filter(({ ranges }) => ranges.some((range) => range !== undefined));
}

const wholes = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,234 ms`: without decimals from ten on. */
function formatValue(value: number, { unit }: Pick<Line, 'unit'>): string {
  const number = (value < 10 ? tenths : wholes).format(value);
  return unit === undefined ? number : `${number}\u00a0${unit}`;
}
