import { formatDateSpan, formatWeekday } from '#shared/dates.ts';
import { addDays } from '#shared/local-time.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';
import { type FoundText, textsOf } from './texts.ts';

/** Texts of others, about earlier years, and about who has checked it: they may name any date. */
const ABOUT_THE_PAST =
  /^people\.(?:author\.(?:name|biography|books)|(?:endorsements|testimonials|videos)\.items)\b|^page\.hero\.voice\b|^outlets\.\w+\.(?:items|rows)\b|^edition\.confirmed\b/;
/** Fields that hold names and addresses for programs. */
const FOR_PROGRAMS = ['id', 'version', 'fileName', 'img', 'logo', 'src', 'poster', 'href'];
const WHOLE_DATE = /^\d{4}-\d\d-\d\d(?:T.*)?$/;

/** Months, years, days and weekdays in the texts that are not the edition's: mostly those of the edition that was copied. */
export function foreignDatesIn({ written, problem }: EditionFolder): ContentProblem[] {
  const { first, last } = written.edition.dates;
  const dates = datesOf(written.edition);
  const retreat = formatDateSpan(first, last).replaceAll('\u00a0', ' ');
  return textsOf(written)
    .filter(isAboutEdition)
    .flatMap(({ file, field, text }) =>
      [...new Set(foreignDates(text, dates))].map((words) => {
        const otherwise = /\d/.test(words) ? '' : ', or add the day or the year if another date is meant';
        const says = `it names ${words}, but this retreat is from ${retreat}: correct it${otherwise}`;
        return problem(file, field, says, words);
      }),
    );
}

function isAboutEdition({ file, field, text }: FoundText): boolean {
  if (FOR_PROGRAMS.includes(String(field.at(-1))) || WHOLE_DATE.test(text)) return false;
  return !ABOUT_THE_PAST.test([file, ...field].join('.'));
}

/** The dates of an edition, ISO. */
export interface EditionDates {
  /** The retreat's days: a text may name their months, years and weekdays alone. */
  days: readonly string[];
  /** Further dates: a text names at least two of weekday, day, month and year. */
  further: readonly string[];
}

function datesOf(edition: Written['edition']): EditionDates {
  const { confirmed: _, ...ofRetreat } = edition;
  const { dates, price, balance, recordings } = ofRetreat;
  const days = [dates.first];
  for (let day = dates.first; day < dates.last; days.push(day)) day = addDays(day, 1);
  const written = JSON.stringify(ofRetreat).match(/\d{4}-\d\d-\d\d/g) ?? [];
  const announced = [balance.noticeDays, balance.reminderDays].map((count) =>
    addDays(price.balanceDue, -count),
  );
  const recorded = recordings ? [addDays(dates.last, recordings.daysAfter)] : [];
  return { days, further: [...written, ...announced, ...recorded] };
}

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(2000, month).toLocaleDateString('en-US', { month: 'long' }),
);
const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
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
 * The months, years, days and weekdays in a text that are not of its edition, as the text writes them. Not counted as
 * such: years long ago, later months and years up to two years ahead, and weekdays in general, such as “an ordinary
 * Tuesday”.
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
  const start = (month ?? '').slice(0, 3).toLowerCase();
  const index = MONTHS.findIndex((name) => name.toLowerCase().startsWith(start));
  return { weekday, days: days.map(twoDigits), month: twoDigits(String(index + 1)), year };
}

const twoDigits = (number: string): string => number.padStart(2, '0');

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

/** Whether it is a date of the edition, long ago, or after the edition. */
function isOwn({ weekday, days, month, year }: Parts, dates: EditionDates): boolean {
  const isAlone = [weekday, days[0], month, year].filter(Boolean).length === 1;
  const candidates = isAlone ? dates.days : [...dates.days, ...dates.further];
  const fits = (day: string) =>
    candidates.some(
      (date) =>
        date.endsWith(day) &&
        date.startsWith(year ?? '') &&
        (!month || date.slice(5, 7) === month) &&
        (!weekday || formatWeekday(date) === weekday),
    );
  if ((days.length > 0 ? days : ['']).every(fits)) return true;
  const last = dates.days.at(-1) ?? '';
  const ahead = Number(year) - Number(last.slice(0, 4));
  const isLater = ahead <= AHEAD_YEARS && `${year}-${month ?? '12'}` > last.slice(0, 7);
  return ahead < -HISTORY_YEARS || isLater;
}
