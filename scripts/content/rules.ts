import * as v from 'valibot';
import { PARTS_OF_PLAN } from '#shared/content/edition.ts';
import { isPictureFile } from '#shared/content/entities.ts';
import { officePlaceholders } from '#shared/content/policies.ts';
import { addDays, addMinutes, formatWeekday } from '#shared/dates.ts';
import { cardFeeCents, dollarsToCents } from '#shared/money.ts';
import { anchors } from '#shared/page.ts';
import { isKnownTimeZone } from '#shared/zoned-time.ts';
import { factsOf, PLACEHOLDER, saysWhenLate, sessionsOf, wordsOf } from './compile.ts';
import { linksIn } from './markdown.ts';
import { checkRecord } from './record.ts';
import { type Report, shape, type Written } from './schema.ts';
import { checkTheme } from './theme.ts';

/** Rules across fields. They run once everything before them is right. */
const rules = (...checks: ((written: Written, report: Report) => void)[]) =>
  v.rawCheck<Written>(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues) return;
    const { value: input } = dataset;
    const stepTo = (key: string) => ({ type: 'unknown', origin: 'value', input, key, value: input }) as const;
    const report: Report = (path, message) => {
      const [first = '', ...others] = path.split('.');
      if (message) addIssue({ message, path: [stepTo(first), ...others.map(stepTo)] });
    };
    for (const check of checks) check(input, report);
  });

/** What is right: an edition whose files have this shape, and that contradicts itself nowhere. */
export const editionSchema = v.pipe(
  shape,
  rules(({ edition }, report) => {
    const says = 'no such time zone: write one such as America/Los_Angeles';
    report('edition.timeZone.id', !isKnownTimeZone(edition.timeZone.id) && says);
  }),
  rules(checkDates, checkPrices, checkSchedule, checkQuestions, checkMedia, checkAnswers, checkTheme),
  rules(checkPlaceholders, checkMonths),
);

/** The same, and its terms are on record. */
export const recordedSchema = v.pipe(editionSchema, rules(checkRecord));

function checkDates({ edition }: Written, report: Report): void {
  const { dates, registration, price, balance, wayIn, handOverUntil = '', tryOutFrom } = edition;
  const { first, last } = dates;
  const { opens = '', closes } = registration;
  const { testSession: test } = wayIn;
  /** Fields with a date that must not be later than another one. */
  const inOrder: readonly (readonly [field: string, date: string, until: string, what: string])[] = [
    ['dates.first', first, last, 'the retreat begins after its last day'],
    ['registration.opens', opens, closes, 'registration opens after it closes'],
    ['registration.closes', closes, `${last}T24:00`, 'registration closes after the retreat'],
    ['price.balanceDue', price.balanceDue, first, 'the balance is due after the retreat begins'],
    ['handOverUntil', handOverUntil, addDays(first, -1), 'a place is handed over once the retreat has begun'],
    ['tryOutFrom', tryOutFrom, closes, 'registration has closed by then'],
    ['wayIn.testLinkSent', wayIn.testLinkSent, test.date, 'the link comes after the test session'],
    ['wayIn.testSession.date', test.date, first, 'the test session comes after the retreat begins'],
    ['wayIn.linkSent', wayIn.linkSent, first, 'the link comes after the retreat begins'],
  ];
  for (const [field, date, until, what] of inOrder)
    report(`edition.${field}`, date > until && `${what}: write ${until.replace('T24:00', '')} or earlier`);
  const early = `the reminder goes out before the notice: write ${balance.noticeDays} or less`;
  report('edition.balance.reminderDays', balance.reminderDays > balance.noticeDays && early);
  const { least, most } = PARTS_OF_PLAN;
  const says = `a plan has ${least} to ${most} days, the earliest first, all before ${first}: correct them`;
  for (const [index, days] of (edition.plans?.offered ?? []).entries()) {
    const isSorted = days.every((day, at) => day > (days[at - 1] ?? '') && day < first);
    const isPlan = isSorted && days.length >= least && days.length <= most;
    report(`edition.plans.offered.${index}`, !isPlan && says);
  }
}

function checkPrices({ edition: { price, balance } }: Written, report: Report): void {
  const { tuition, regularTuition, depositBeforeFee, cardFee, deposit } = price;
  const cents = dollarsToCents(depositBeforeFee);
  const wanted = Math.round((cents + cardFeeCents(cents, cardFee * 10)) / 100);
  const saved = `the page tells what is saved: write more than the tuition of ${tuition}`;
  report('edition.price.regularTuition', regularTuition <= tuition && saved);
  const left = `nothing is left to pay later: write less than the tuition of ${tuition}`;
  report('edition.price.depositBeforeFee', depositBeforeFee >= tuition && left);
  const sum = `${depositBeforeFee} plus ${cardFee} percent is ${wanted} in whole dollars, not ${deposit}`;
  const isSum = deposit === wanted && (cardFee > 0 || deposit === depositBeforeFee);
  report('edition.price.deposit', !isSum && `${sum}: write ${wanted}, or correct the others`);
  const refundable = 'feeRefundable says whether a refund includes the card fee (price.cardFee)';
  const isAsked = cardFee > 0;
  report(
    'edition.balance.feeRefundable',
    isAsked !== (balance.feeRefundable !== undefined) &&
      (isAsked ? `${refundable}: write true or false` : `${refundable}, and none is asked: delete it`),
  );
}

function checkSchedule({ edition: { dates, wayIn }, schedule }: Written, report: Report): void {
  // Calendars identify a session by weekday and name.
  const ids = new Set([`${formatWeekday(wayIn.testSession.date)} test`]);
  let end = '';
  for (const [day, { date, entries }] of schedule.days.entries()) {
    const path = `schedule.days.${day}`;
    report(
      `${path}.date`,
      date <= end.slice(0, 10) && `it comes after ${end.slice(0, 10)}: write the days in order`,
    );
    end = `${date}T00:00`;
    for (const [index, entry] of entries.entries()) {
      if (!('minutes' in entry)) continue;
      const start = `${date}T${entry.time}`;
      const early = `it begins before the one above it ends at ${end.slice(11)}: change time or minutes`;
      report(`${path}.entries.${index}`, start < end && early);
      const id = `${formatWeekday(date)} ${entry.name}`;
      const twice = `another session on that weekday has the name ${entry.name}: change one`;
      report(`${path}.entries.${index}`, ids.has(id) && twice);
      ids.add(id);
      end = addMinutes(start, entry.minutes);
    }
  }
  for (const [name, at] of [
    ['first', 0],
    ['last', -1],
  ] as const) {
    const planned = schedule.days.at(at)?.date;
    const says = `the ${name} day in schedule.yaml is ${planned}: the two must agree`;
    report(`edition.dates.${name}`, dates[name] !== planned && says);
  }
  const missed = sessionsOf(schedule).find(({ time }) => time < wayIn.sentAt);
  const late = `the session of ${missed?.time} on ${missed?.date} has begun by then: write an earlier hour`;
  report('edition.wayIn.sentAt', missed !== undefined && late);
}

function checkQuestions({ edition: { questions, dates } }: Written, report: Report): void {
  if (!questions) return;
  const { items, remindAt, editableUntil } = questions;
  const late = `the retreat is over by then: write a moment before its end on ${dates.last}`;
  report('edition.questions.editableUntil', editableUntil >= `${addDays(dates.last, 1)}T00:00` && late);
  const vain = `nobody can answer any more by then: write a moment before ${editableUntil}`;
  report('edition.questions.remindAt', remindAt >= editableUntil && vain);
  for (const [index, { id }] of items.entries()) {
    const isSecond = items.findIndex((item) => item.id === id) < index;
    const says = `another question has the id ${id}: write a new one`;
    report(`edition.questions.items.${index}.id`, isSecond && says);
  }
}

const FILM = /^[\w-][\w.-]*\.(?:mp4|vtt)$/i;
/** Whether a text names a film or its captions. */
export const isFilm = (value: unknown): value is string => typeof value === 'string' && FILM.test(value);

/** The name of the file in `media/` that a value of an edition stands for. */
function fileIn(value: string | object): string | undefined {
  if (typeof value === 'string') return isFilm(value) ? value : undefined;
  return isPictureFile(value) ? value.file : undefined;
}

/** The names of the files in `media/` that an edition uses. */
export const mediaOf = ({ media: _, ...written }: Written): (string | undefined)[] =>
  walk(written).map(([, value]) => fileIn(value));

/** Whether each file is in `media/`, and who cannot see or hear it is told what it shows or says. */
function checkMedia({ media, ...written }: Written, report: Report): void {
  for (const [path, value] of walk(written)) {
    const name = fileIn(value);
    const missing = `there is no ${name} in media/: put it there, or correct the name`;
    report(path, name !== undefined && !media.includes(name) && missing);
    if (typeof value === 'string' || !('img' in value) || typeof value.img !== 'object' || 'alt' in value)
      continue;
    report(`${path}.img`, 'say in alt what the picture shows, for those who cannot see it');
  }
  for (const [index, { src, captions = [] }] of written.people.videos.items.entries()) {
    const deaf = 'a film without captions: write what is said into a .vtt file, and name it in captions';
    report(`people.videos.items.${index}`, isFilm(src) && captions.length === 0 && deaf);
  }
}

const ADDRESS = /^(?:https?:\/\/[^\s/]+\.\S+|mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+)$/;

function checkAnswers({ faq }: Written, report: Report): void {
  for (const [index, { answer }] of faq.items.entries()) {
    const path = `faq.items.${index}.answer`;
    const [tag] = /<\/?[a-z][^>]*>/i.exec(answer) ?? [];
    const html = `it holds ${tag}, which the page shows as it stands: write **words** and [words](address)`;
    report(path, tag !== undefined && html);
    const astray = linksIn(answer).find((link) => !ADDRESS.test(link) && !anchors.includes(link.slice(1)));
    const places = anchors.map((name) => `#${name}`).join(', ');
    report(
      path,
      astray !== undefined && `the link ${astray} leads nowhere: write an address, or one of ${places}`,
    );
  }
}

/** What is not asked or not recorded has no placeholder, and so cannot be named. */
function checkPlaceholders(written: Written, report: Report): void {
  const words = wordsOf(factsOf('', written.edition), written);
  const known = [...Object.keys(words), ...officePlaceholders];
  const listed = known.map((name) => `{${name}}`).join(', ');
  for (const [path, text] of textsOf(written))
    for (const [, name = ''] of text.matchAll(PLACEHOLDER))
      report(path, !known.includes(name) && `nothing fills in {${name}}: write one of ${listed}`);
  const late = 'no policy says how the balance of a late deposit is charged: tell it, with {lateDays}';
  report('terms.policies', !saysWhenLate(written.terms) && late);
  const heard = 'sessions are recorded, and nobody agrees to it: write a policy about it, with {recorded}';
  const agreed = /\{[Rr]ecorded\}/.test(JSON.stringify(written.terms));
  report('terms.policies', 'recorded' in words && !agreed && heard);
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const MONTH = new RegExp(
  `\\b(${MONTHS.join('|')})\\b( \\d{1,2}\\b(?:\\D{1,4}\\d{1,2}\\b)?)?(?:,? (20\\d\\d))?`,
  'g',
);

/** Months of another edition, mostly of the one that was copied. What others said may name any; a later year may be named. */
function checkMonths(written: Written, report: Report): void {
  const { dates } = written.edition;
  const monthsIn = (value: object) =>
    (JSON.stringify(value).match(/\d{4}-\d\d/g) ?? []).map(
      (month) => `${month.slice(0, 4)} ${MONTHS[Number(month.slice(-2)) - 1]}`,
    );
  const [ofDays, ofRetreat] = [monthsIn(written.edition), monthsIn(dates)];
  const texts = textsOf(written).filter(([path]) => !/^people|^outlets|hero\.voice/.test(path));
  for (const [path, text] of texts)
    for (const [, month = '', day, year = ''] of text.matchAll(MONTH)) {
      const isDate = Boolean(day || year);
      const own = isDate ? ofDays : ofRetreat;
      if (year > dates.first || own.some((one) => one.startsWith(year) && one.endsWith(month))) continue;
      // Some are other words, too.
      if (!isDate && /^(?:Ma|Ap|Jun|Au)/.test(month)) continue;
      const says = 'which is not of this retreat: correct it, or write the date in braces';
      report(path, `it names ${month}${year && ` ${year}`}, ${says}`);
    }
}

/** Every text and object of a value, with its path. */
function walk(value: object, path = ''): [path: string, value: string | object][] {
  return Object.entries(value).flatMap(([key, part]): [string, string | object][] => {
    const at = path ? `${path}.${key}` : key;
    if (typeof part === 'string') return [[at, part]];
    return typeof part === 'object' && part !== null ? [[at, part], ...walk(part, at)] : [];
  });
}

/** The texts of the files that an author writes words into, with their paths. */
const textsOf = ({
  media: _media,
  agreed: _agreed,
  theme: _theme,
  ...texts
}: Written): [path: string, text: string][] =>
  walk(texts).flatMap(([path, value]): [string, string][] =>
    typeof value === 'string' ? [[path, value]] : [],
  );
