import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';

/** The dates of an edition, ISO. */
export interface EditionDates {
  /** The retreat's days: a text may name their months, years and weekdays alone. */
  days: readonly string[];
  /** Further dates: a text names at least two of weekday, day, month and year. */
  further: readonly string[];
}

const MONTHS = Array.from({ length: 12 }, (_, index) => {
  const [name = ''] = formatMonthAndDay(`2024-${twoDigits(index + 1)}-01`).split('\u00a0');
  return name;
});
const WEEKDAYS = Array.from({ length: 7 }, (_, index) => formatWeekday(`2024-01-${twoDigits(index + 1)}`));
/** Months whose names are also other words, or people's names. */
const OTHER_WORDS = ['March', 'April', 'May', 'June', 'August'];

const NAMES = [...MONTHS, ...MONTHS.map((name) => name.slice(0, 3)), 'Sept'];
const SPELLINGS = [
  ...NAMES,
  ...NAMES.map((name) => name.toUpperCase()),
  ...MONTHS.filter((name) => !OTHER_WORDS.includes(name)).map((name) => name.toLowerCase()),
];
const MONTH = `(?:${SPELLINGS.join('|')})\\b\\.?`;
const WEEKDAY = `(?:${WEEKDAYS.join('|')})\\b`;
const YEAR = '(?:19|20)\\d\\d(?![\\d.,]*\\d)';
const DAY = '\\d{1,2}(?:st|nd|rd|th)?(?![.:]?\\d|%)';
const DAYS = `${DAY}(?:\\s*(?:–|-|,|\\bto\\b|\\band\\b)\\s*${DAY})*`;

/** A date, as far as it is named: a day of a month, a month, a year or a weekday. */
const DATE = new RegExp(
  [
    `\\b(?<iso>\\d{4}-\\d\\d-\\d\\d)\\b`,
    `(?:\\b(?<weekday>${WEEKDAY}),?\\s+(?:the\\s+)?)?(?:\\b(?<before>${DAYS})\\s+(?:of\\s+)?)?\\b(?<month>${MONTH})(?:\\s+(?<after>${DAYS}))?(?:,?\\s+(?<year>${YEAR}))?`,
    `\\b(?<alone>${WEEKDAY}|${YEAR})`,
  ].join('|'),
  'g',
);

/** A year so long ago is history. */
const HISTORY_YEARS = 10;
/** A later retreat is named with its year, at most so many years ahead. */
const AHEAD_YEARS = 2;

/**
 * The months, years, days and weekdays in a text that are not of its edition, as the text writes them: mostly what was
 * left when another edition was copied. Not counted as such: years long ago, later months and years up to two years
 * ahead, and weekdays in general, such as “an ordinary Tuesday”.
 */
export function foreignDates(text: string, dates: EditionDates): string[] {
  const plain = text.replaceAll(/&nbsp;|<[^>]*>|\u00a0/g, ' ');
  const found = [...plain.matchAll(DATE)].filter((match) => isDate(match, plain));
  return found.filter((match) => !isOwn(partsOf(match), dates)).map(([words]) => words.trim());
}

interface Parts {
  weekday?: string | undefined;
  /** `01` to `31`. */
  days: readonly string[];
  /** `01` to `12`. */
  month?: string | undefined;
  year?: string | undefined;
}

function partsOf({ groups = {} }: RegExpExecArray): Parts {
  const { iso, weekday, before = '', month, after = '', year, alone } = groups;
  if (iso) return { days: [iso.slice(8)], month: iso.slice(5, 7), year: iso.slice(0, 4) };
  if (alone) return /\d/.test(alone) ? { days: [], year: alone } : { days: [], weekday: alone };
  const days = `${before} ${after}`.match(/\d+/g) ?? [];
  return { weekday, days: days.map((day) => twoDigits(day)), month: numberOf(month), year };
}

function numberOf(name = ''): string {
  const start = name.slice(0, 3).toLowerCase();
  const index = MONTHS.findIndex((month) => month.toLowerCase().startsWith(start));
  return twoDigits(index + 1);
}

function twoDigits(number: number | string): string {
  return String(number).padStart(2, '0');
}

/** Whether the words name a date: “May” may be another word, “Jan” a name, and “a Tuesday” is any of them. */
function isDate({ 0: words, index, groups = {} }: RegExpExecArray, text: string): boolean {
  const { before, month, after, year, alone } = groups;
  const [soFar, rest] = [text.slice(0, index), text.slice(index + words.length)];
  if (alone) return /\d/.test(alone) || !/\b(?:an?|any|each|every|some)\s+(?:[\w-]+\s+)?$/i.test(soFar);
  if (!month || before || after || year) return true;
  const name = MONTHS.find((one) => one.toLowerCase() === words.toLowerCase());
  if (!name) return false;
  const beginsSentence = /(?:^|[.!?:“"])\s*$/.test(soFar);
  return !OTHER_WORDS.includes(name) || !(beginsSentence || /^\s+\p{Lu}/u.test(rest));
}

function isOwn({ weekday, days, month, year }: Parts, dates: EditionDates): boolean {
  const isAlone = [weekday, days[0], month, year].filter(Boolean).length === 1;
  const candidates = isAlone ? dates.days : [...dates.days, ...dates.further];
  const fits = (day = '') =>
    candidates.some(
      (date) =>
        date.endsWith(day) &&
        date.startsWith(year ?? '') &&
        (!month || date.slice(5, 7) === month) &&
        (!weekday || formatWeekday(date) === weekday),
    );
  const isFound = days.length > 0 ? days.every((day) => fits(day)) : fits();
  return isFound || isElsewhere({ month, year }, dates);
}

/** Whether it is long ago, or after the edition. */
function isElsewhere({ month = '12', year }: Pick<Parts, 'month' | 'year'>, { days }: EditionDates): boolean {
  const last = days.at(-1) ?? '';
  const ahead = Number(year) - Number(last.slice(0, 4));
  return ahead < -HISTORY_YEARS || (ahead <= AHEAD_YEARS && `${year}-${month}` > last.slice(0, 7));
}
