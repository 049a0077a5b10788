import { officePlaceholders } from '#shared/content/policies.ts';
import { recordedOf } from '#shared/content/schedule.ts';
import { formatDateSpan } from '#shared/dates.ts';
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

/**
 * Finds texts in terms, page, FAQ or package that name recordings where no session is recorded, and terms that do not name
 * them where some are: registrants agree to being recorded by accepting the terms.
 */
export function* checkRecordings({ written, problem }: EditionFolder): Problems {
  const recorded = recordedOf(sessionsOf(written.schedule));
  if (recorded) {
    const says = `sessions are recorded, ${recorded}, and nobody agrees to it: write a policy about it, with {recorded}`;
    if (!RECORDED.test(JSON.stringify(written.terms))) yield problem('terms', ['policies'], says);
    return;
  }
  for (const { file, field, text } of textsOf(written)) {
    const isPromise =
      ['terms', 'page', 'faq'].includes(file) || (file === 'edition' && field[0] === 'package');
    const says = 'no session is recorded: take this out, or say in schedule.yaml which are';
    if (isPromise && (ON_RECORDING.test(text) || RECORDED.test(text))) yield problem(file, field, says);
  }
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
  /^people\.(?:author\.(?:name|biography|books)|(?:endorsements|testimonials|videos)\.items)\b|^page\.hero\.voice\b|^outlets\.\w+\.(?:items|rows)\b/;
const FOR_PROGRAMS = ['id', 'version', 'fileName', 'img', 'logo', 'src', 'poster', 'href'];
const WHOLE_DATE = /^\d{4}-\d\d-\d\d(?:T.*)?$/;

/** Months and years in the texts that are not the edition's: mostly those of the edition that was copied. */
export function foreignDatesIn({ written, problem }: EditionFolder): ContentProblem[] {
  const { first, last } = written.edition.dates;
  const further = JSON.stringify(written.edition).match(/\d{4}-\d\d/g) ?? [];
  const months = { retreat: [first.slice(0, 7), last.slice(0, 7)], further };
  const retreat = formatDateSpan(first, last).replaceAll('\u00a0', ' ');
  return textsOf(written)
    .filter(isAboutEdition)
    .flatMap(({ file, field, text }) =>
      [...new Set(foreignDates(text, months))].map((words) => {
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

/** Months of an edition, such as `2027-05`. */
export interface EditionMonths {
  /** The retreat's own, which a text may name alone. */
  retreat: readonly string[];
  /** Those of its other dates: a text names the day or the year too. */
  further: readonly string[];
}

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(2000, month).toLocaleDateString('en-US', { month: 'long' }),
);
/** Months whose names are also other words, or people's names: they count within a sentence only. */
const OTHER_WORDS = ['March', 'April', 'May', 'June', 'August'];
const PLAIN = MONTHS.filter((name) => !OTHER_WORDS.includes(name)).join('|');
const YEAR = '(?:19|20)\\d\\d\\b';

/** A month, with day and year, or a year. */
const DATE = new RegExp(
  [
    `(?<month>\\b(?:${PLAIN})\\b|(?<=[a-z] )(?:${OTHER_WORDS.join('|')})\\b(?! [A-Z]))`,
    `(?<day> \\d{1,2}\\b(?:(?:–| to )\\d{1,2}\\b)?)?(?:,? (?<year>${YEAR}))?`,
    `|\\b(?<alone>${YEAR})(?![.,]?\\d)`,
  ].join(''),
  'g',
);

/** A year so long ago is history. */
const HISTORY_YEARS = 10;

/** The months and years in a text that are not of its edition, as the text writes them, nor long ago or later. */
export function foreignDates(text: string, months: EditionMonths): string[] {
  const plain = text.replaceAll(/&nbsp;|\u00a0/g, ' ');
  const found = [...plain.matchAll(DATE)];
  return found.filter(({ groups = {} }) => !isOwn(groups, months)).map(([words]) => words);
}

function isOwn(
  { month = '', day, year, alone = year }: Readonly<Record<string, string | undefined>>,
  { retreat, further }: EditionMonths,
): boolean {
  const number = month && String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const candidates = day || alone ? [...retreat, ...further] : retreat;
  if (candidates.some((one) => one.startsWith(alone ?? '') && one.endsWith(number))) return true;
  const last = retreat.at(-1) ?? '';
  const isHistory = Number(alone) < Number(last.slice(0, 4)) - HISTORY_YEARS;
  return alone !== undefined && (isHistory || `${alone}-${number || '12'}` > last);
}
