import { formatDateSpan } from '#shared/dates.ts';
import { addDays } from '#shared/local-time.ts';
import { type EditionDates, foreignDates } from './foreign-dates.ts';
import type { ContentProblem, Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';
import { type FoundText, textsOf } from './texts-of.ts';

/** Nobody is charged without a notice at least this many days before. */
const LEAST_NOTICE_DAYS = 3;
/** The worker looks at the payments of 400 days: after an earlier deposit it sends nothing more. */
const TRY_OUT_DAYS = 366;

/** Finds dates of an edition that contradict each other, and texts that name dates which are not the edition's. */
export function checkDates(folder: EditionFolder): ContentProblem[] {
  const contradictions = contradictionsIn(folder);
  return contradictions.length > 0 ? contradictions : foreignDatesIn(folder);
}

function contradictionsIn({ written, problem }: EditionFolder): ContentProblem[] {
  const { dates, registration, price, balance, wayIn, tryOutFrom } = written.edition;
  const problems: ContentProblem[] = [];
  const report = (field: Field, says: string) => problems.push(problem('edition', field, says));
  const inOrder = (field: Field, earlier: string, later: string, says: string) => {
    if (earlier > later) report(field, says);
  };
  inOrder(['dates', 'last'], dates.first, dates.last, `the retreat ends before it begins on ${dates.first}`);
  inOrder(
    ['registration', 'closes'],
    registration.opens ?? '',
    registration.closes,
    'registration closes before it opens',
  );
  inOrder(
    ['registration', 'closes'],
    registration.closes.slice(0, 10),
    dates.last,
    `registration closes after the retreat is over on ${dates.last}`,
  );
  inOrder(
    ['price', 'balanceDue'],
    price.balanceDue,
    dates.first,
    `the balance is due after the retreat begins on ${dates.first}`,
  );
  if (balance.noticeDays < LEAST_NOTICE_DAYS) {
    report(['balance', 'noticeDays'], `the terms promise ${LEAST_NOTICE_DAYS} days at least: write more`);
  }
  if (balance.lateDays <= LEAST_NOTICE_DAYS) {
    const says = `it leaves no time for a notice ${LEAST_NOTICE_DAYS} days before the charge: write more`;
    report(['balance', 'lateDays'], says);
  }
  const noticeDate = addDays(price.balanceDue, -balance.noticeDays);
  inOrder(
    ['balance', 'reminderDays'],
    noticeDate,
    addDays(price.balanceDue, -balance.reminderDays),
    `the reminder goes out before the notice, ${balance.noticeDays} days ahead: write less`,
  );
  inOrder(
    ['tryOutFrom'],
    tryOutFrom,
    registration.closes,
    `registration has closed by then, on ${registration.closes}: write an earlier moment`,
  );
  inOrder(
    ['tryOutFrom'],
    addDays(dates.last, -TRY_OUT_DAYS),
    tryOutFrom,
    `this is more than a year before the retreat ends on ${dates.last}, and who registers so early on a site that is tried out gets no notice and no charge: write a moment some days before the balance is announced on ${noticeDate}`,
  );
  const { testSession, testLinkSent, linkSent } = wayIn;
  inOrder(
    ['wayIn', 'testLinkSent'],
    testLinkSent,
    testSession.date,
    `the link comes after the test session on ${testSession.date}`,
  );
  inOrder(
    ['wayIn', 'testSession', 'date'],
    testSession.date,
    dates.first,
    `the test session comes after the retreat begins on ${dates.first}`,
  );
  inOrder(
    ['wayIn', 'linkSent'],
    linkSent,
    dates.first,
    `the link comes after the retreat begins on ${dates.first}`,
  );
  return problems;
}

/** Texts of others and about earlier years: they may name any date. */
const ABOUT_THE_PAST =
  /^people\.(?:author\.(?:name|biography|books)|(?:endorsements|testimonials|videos)\.items)\b|^page\.hero\.voice\b|^outlets\.\w+\.(?:items|rows)\b/;
/** Fields that hold names and addresses for programs. */
const FOR_PROGRAMS = new Set(['id', 'version', 'fileName', 'img', 'logo', 'src', 'poster', 'href']);
const WHOLE_DATE = /^\d{4}-\d\d-\d\d(?:T.*)?$/;

/** Months, years, days and weekdays in the texts that are not the edition's: mostly those of the edition that was copied. */
function foreignDatesIn({ written, problem }: EditionFolder): ContentProblem[] {
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
  if (FOR_PROGRAMS.has(String(field.at(-1))) || WHOLE_DATE.test(text)) return false;
  return !ABOUT_THE_PAST.test([file, ...field].join('.'));
}

function datesOf({
  dates,
  registration,
  price,
  balance,
  wayIn,
  recordings,
}: Written['edition']): EditionDates {
  const days = [dates.first];
  for (let day = dates.first; day < dates.last; ) {
    day = addDays(day, 1);
    days.push(day);
  }
  const { opens = '', closes } = registration;
  const { balanceDue } = price;
  const further = [
    ...[opens.slice(0, 10), closes.slice(0, 10)],
    ...[0, balance.noticeDays, balance.reminderDays].map((count) => addDays(balanceDue, -count)),
    ...[wayIn.testSession.date, wayIn.testLinkSent, wayIn.linkSent],
    ...(recordings ? [addDays(dates.last, recordings.daysAfter)] : []),
  ];
  return { days, further };
}
