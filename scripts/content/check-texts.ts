import { officePlaceholders } from '#shared/content/policies.ts';
import { recordedOf } from '#shared/content/schedule.ts';
import { addDays, formatDateSpan, formatWeekday } from '#shared/dates.ts';
import {
  type FoundText,
  factsOf,
  isOnLate,
  PLACEHOLDER,
  sessionsOf,
  textsOf,
  wordsOf,
} from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

type Problems = Iterable<ContentProblem>;

/**
 * Finds placeholders that nothing fills in, a card fee that the price contradicts, and terms without a rule for late
 * deposits. A text that names a card fee where none is asked is reported once: nothing fills in its placeholder
 * either.
 */
export function checkWords(folder: EditionFolder): ContentProblem[] {
  const onFee = [...checkFeeWords(folder)];
  return onFee.length > 0 ? onFee : [...checkPlaceholders(folder)];
}

/** The placeholders for what is recorded, in the middle of a sentence and at its beginning, and until when. */
const RECORDING_WORDS = ['recorded', 'Recorded', 'recordingsUntil'];

function* checkPlaceholders({ id, written, problem }: EditionFolder): Problems {
  const words = wordsOf(factsOf(id, written.edition), written.schedule);
  const known = [...Object.keys(words), ...officePlaceholders];
  const listed = known.map((name) => `{${name}}`).join(', ');
  for (const { file, field, text } of textsOf(written)) {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
      if ([...known, ...RECORDING_WORDS].includes(name)) continue;
      yield problem(file, field, `nothing fills in {${name}}: write one of ${listed}`);
    }
  }
  // Without such a policy, a registrant who pays the deposit late has not agreed to be charged for the balance.
  if (written.terms.policies.some(({ paragraphs }) => paragraphs.some(isOnLate))) return;
  const says = 'no policy says how the balance of a late deposit is charged: tell it, with {lateDays}';
  yield problem('terms', ['policies'], says);
}

const RECORDED = /\{[Rr]ecorded\}/;
/** `recording`, `recordings`, `was recorded`; not `record`, which is also what people hold. */
const ON_RECORDING = /\brecord(?:ed|ings?)\b/i;
const BY_HAND = /\b(?:audio|video|film|sound)(?:\s+and\s+\w+)?[\s-]+record/i;
const VIDEO = /\bvideo[\s-]+record/i;
const EVERY_SESSION = /\b(?:every|each|all)\b[^.;:]*\bsessions?\b[^.;:]*\brecord/i;

/**
 * Finds texts in terms, page, FAQ or package that contradict `schedule.yaml` about recordings. Registrants
 * agree to being recorded by accepting the terms, so the terms must take the words for what is recorded from
 * `schedule.yaml`.
 */
export function* checkRecordings({ written, problem }: EditionFolder): Problems {
  const sessions = sessionsOf(written.schedule);
  const recorded = recordedOf(sessions);
  const wrongIn = (text: string, file: keyof Written): string | false => {
    if (!recorded)
      return (
        (ON_RECORDING.test(text) || RECORDED.test(text)) &&
        'no session is recorded: take this out, or say in schedule.yaml which are'
      );
    if (file === 'terms' && BY_HAND.test(text))
      return `it says by hand what is recorded: write {recorded}, which is filled in, ${recorded} at present`;
    if (recorded === 'audio' && VIDEO.test(text))
      return 'no session is recorded as a video: say so here, or correct schedule.yaml';
    return (
      EVERY_SESSION.test(text) &&
      sessions.some((session) => !session.recorded) &&
      'not every session is recorded: say which are not, such as small groups, or correct schedule.yaml'
    );
  };
  for (const { file, field, text } of textsOf(written)) {
    const isPromise =
      ['terms', 'page', 'faq'].includes(file) || (file === 'edition' && field[0] === 'package');
    const says = isPromise && wrongIn(text, file);
    if (says) yield problem(file, field, says);
  }
  const says = `sessions are recorded, ${recorded}, and nobody agrees to it: write a policy about it, with {recorded}`;
  if (recorded && !RECORDED.test(JSON.stringify(written.terms))) yield problem('terms', ['policies'], says);
}

const ON_FEE =
  /\{cardFee\}|\b(?:(?:credit[\s-]+)?card|processing)[\s-]+(?:processing[\s-]+)?fees?\b|\bsurcharges?\b/i;

function* checkFeeWords({ written, problem }: EditionFolder): Problems {
  if (written.edition.price.cardFee > 0) return;
  for (const { file, field, text } of textsOf(written)) {
    const [named] = ON_FEE.exec(text) ?? [];
    if (named === undefined) continue;
    yield problem(file, field, `it names “${named}”, and no card fee is asked (price.cardFee): take it out`);
  }
}

/** Texts of others, and about earlier years: they may name any date. */
const ABOUT_THE_PAST =
  /^people\.(?:author\.(?:name|biography|books|film)|(?:endorsements|testimonials|videos)\.items)\b|^page\.hero\.voice\b|^outlets\.\w+\.(?:items|rows)\b/;
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

export interface EditionDates {
  /** The retreat's days: a text may name their months, years and weekdays alone. */
  days: readonly string[];
  /** Further dates: a text names at least two of weekday, day, month and year. */
  further: readonly string[];
}

function datesOf(edition: Written['edition']): EditionDates {
  const { dates, price, balance, recordings } = edition;
  const days = [dates.first];
  for (let day = dates.first; day < dates.last; days.push(day)) day = addDays(day, 1);
  const written = JSON.stringify(edition).match(/\d{4}-\d\d-\d\d/g) ?? [];
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
