import * as v from 'valibot';
import { PARTS_OF_PLAN } from '#shared/content/edition.ts';
import { addDays, addMinutes, formatWeekday } from '#shared/dates.ts';
import { cardFeeCents, dollarsToCents } from '#shared/money.ts';
import { isKnownTimeZone } from '#shared/zoned-time.ts';
import { checkRecordings, checkWords, foreignDatesIn } from './check-texts.ts';
import { type FoundText, sessionsOf, textsOf } from './compile-edition.ts';
import { CARD_FILE } from './pictures.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise.ts';
import { mediaFile, pictureFile, type Written } from './schemas.ts';
import { checkTheme } from './theme.ts';

type Problems = Iterable<ContentProblem>;

/** What is wrong in fields of `edition.yaml`, by their paths. */
type Wrong = Readonly<Record<string, string | false>>;

/** Nobody is charged without a notice at least this many days before. */
const LEAST_NOTICE_DAYS = 3;
/** The worker looks at the payments of 400 days: after an earlier deposit it sends nothing more. */
const TRY_OUT_DAYS = 366;

/** Finds contradictions in an edition whose files are each valid by their schemas. */
export function checkEdition(folder: EditionFolder): ContentProblem[] {
  const { timeZone } = folder.written.edition;
  if (!isKnownTimeZone(timeZone.id)) {
    const says = 'no such time zone: write one such as America/Los_Angeles';
    return [folder.problem('edition', ['timeZone', 'id'], says)];
  }
  const wrongDates = [...problemsIn(folder, wrongDatesOf(folder.written.edition))];
  const wrongPrices = [...problemsIn(folder, wrongPricesOf(folder.written.edition))];
  return [
    ...(wrongDates.length > 0 ? wrongDates : foreignDatesIn(folder)),
    ...checkSchedule(folder),
    ...wrongPrices,
    // The placeholders hold what is calculated from the prices.
    ...(wrongPrices.length > 0 ? [] : checkWords(folder)),
    ...checkRecordings(folder),
    ...checkQuestions(folder),
    ...checkAnswers(folder),
    ...checkMedia(folder),
    ...checkTheme(folder),
  ];
}

function* problemsIn({ problem }: EditionFolder, wrong: Wrong): Problems {
  for (const [field, says] of Object.entries(wrong)) if (says) yield problem('edition', pathOf(field), says);
}

function pathOf(field: string): (string | number)[] {
  return field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function wrongDatesOf(edition: Written['edition']): Wrong {
  const { dates, registration, price, balance, wayIn, handOverUntil = '', tryOutFrom } = edition;
  const { first, last } = dates;
  const { opens = '', closes } = registration;
  const { noticeDays, reminderDays, lateDays } = balance;
  const { testSession, testLinkSent, linkSent } = wayIn;
  const noticeDate = addDays(price.balanceDue, -noticeDays);
  return {
    'dates.last': first > last && `the retreat ends before it begins on ${first}`,
    'registration.closes':
      (opens > closes && 'registration closes before it opens') ||
      (closes.slice(0, 10) > last && `registration closes after the retreat is over on ${last}`),
    'price.balanceDue': price.balanceDue > first && `the balance is due after the retreat begins on ${first}`,
    'balance.noticeDays':
      noticeDays < LEAST_NOTICE_DAYS && `the terms promise ${LEAST_NOTICE_DAYS} days at least: write more`,
    'balance.lateDays':
      lateDays <= LEAST_NOTICE_DAYS &&
      `it leaves no time for a notice ${LEAST_NOTICE_DAYS} days before the charge: write more`,
    'balance.reminderDays':
      reminderDays > noticeDays &&
      `the reminder goes out before the notice, ${noticeDays} days ahead: write less`,
    handOverUntil:
      handOverUntil >= first &&
      `a place would be handed over after the retreat begins on ${first}: write an earlier day, and the same as in the terms`,
    ...wrongPlansOf(edition),
    tryOutFrom:
      (tryOutFrom > closes && `registration has closed by then, on ${closes}: write an earlier moment`) ||
      (tryOutFrom < addDays(last, -TRY_OUT_DAYS) &&
        `this is more than a year before the retreat ends on ${last}, and who registers so early on a site that is tried out gets no notice and no charge: write a moment some days before the balance is announced on ${noticeDate}`),
    'wayIn.testLinkSent':
      testLinkSent > testSession.date && `the link comes after the test session on ${testSession.date}`,
    'wayIn.testSession.date':
      testSession.date > first && `the test session comes after the retreat begins on ${first}`,
    'wayIn.linkSent': linkSent > first && `the link comes after the retreat begins on ${first}`,
  };
}

function wrongPlansOf({ plans, dates: { first } }: Written['edition']): Wrong {
  const wrong = plans?.offered.map((days, index) => {
    const isInOrder = days.every((day, at) => at === 0 || day > (days[at - 1] ?? ''));
    const says =
      ((days.length < PARTS_OF_PLAN.least || days.length > PARTS_OF_PLAN.most) &&
        `a plan has ${PARTS_OF_PLAN.least} to ${PARTS_OF_PLAN.most} days, and this one has ${days.length}`) ||
      (!isInOrder && 'the days of a plan are not in order: write the earliest one first') ||
      ((days.at(-1) ?? '') >= first &&
        `the last part is charged once the retreat has begun on ${first}: write an earlier day`);
    return [`plans.offered.${index}`, says];
  });
  return Object.fromEntries(wrong ?? []);
}

function wrongPricesOf({ price, balance }: Written['edition']): Wrong {
  const { tuition, regularTuition, depositBeforeFee, cardFee, deposit } = price;
  const cents = dollarsToCents(depositBeforeFee);
  const wanted = Math.round((cents + cardFeeCents(cents, cardFee * 10)) / 100);
  const sum = `${depositBeforeFee} plus ${cardFee} percent is ${wanted} in whole dollars, not ${deposit}`;
  const { feeRefundable } = balance;
  return {
    'price.regularTuition':
      regularTuition <= tuition &&
      `it is no higher than the tuition of ${tuition}, and the page tells what is saved: write the regular price`,
    'price.depositBeforeFee':
      depositBeforeFee >= tuition &&
      `it leaves nothing of the tuition of ${tuition} to pay later: write less`,
    'price.deposit':
      cardFee > 0
        ? deposit !== wanted && `the price does not add up: ${sum}. Write ${wanted}, or correct the others`
        : deposit !== depositBeforeFee &&
          `no card fee is asked (price.cardFee), so deposit and depositBeforeFee are the same sum in whole dollars: write it twice`,
    'balance.feeRefundable':
      cardFee > 0
        ? feeRefundable === undefined && 'say whether a refund includes the card fee: write true or false'
        : feeRefundable !== undefined &&
          'no card fee is asked (price.cardFee), so none is refunded: delete it',
  };
}

/** Finds impossible days and sessions, and letters with the way in that are sent after a session has begun. */
function* checkSchedule({ written, problem }: EditionFolder): Problems {
  const { dates, wayIn } = written.edition;
  const { first, last } = dates;
  const { days } = written.schedule;
  // Calendars identify a session by weekday and name.
  const ids = new Set([`${formatWeekday(wayIn.testSession.date)} test`]);
  for (const [day, { date, entries }] of days.entries()) {
    const before = days[day - 1]?.date ?? '';
    const unordered = `this day comes after ${before}: write the days in order`;
    if (date <= before) yield problem('schedule', ['days', day, 'date'], unordered);
    let end = '';
    for (const [index, entry] of entries.entries()) {
      if (!('minutes' in entry)) continue;
      const field = ['days', day, 'entries', index];
      const start = `${date}T${entry.time}`;
      const early = `it begins at ${entry.time}, before the one above it ends at ${end.slice(11)}: change time or minutes`;
      if (start < end) yield problem('schedule', field, early);
      const [weekday, { name }] = [formatWeekday(date), entry];
      const twice = `there is another session with the name ${name} on a ${weekday}: change one`;
      if (ids.has(`${weekday} ${name}`)) yield problem('schedule', field, twice);
      ids.add(`${weekday} ${name}`);
      end = addMinutes(start, entry.minutes);
      const late = 'it ends after midnight, outside its day: shorten it';
      if (end > `${addDays(date, 1)}T00:00`) yield problem('schedule', field, late);
    }
  }
  for (const [name, date, planned] of [
    ['first', first, days.at(0)?.date],
    ['last', last, days.at(-1)?.date],
  ] as const) {
    const says = `the ${name} day in schedule.yaml is ${planned}: the two must agree`;
    if (date !== planned) yield problem('edition', ['dates', name], says);
  }
  const { sentAt, testSession, testLinkSent } = wayIn;
  const announced = [
    ...(testLinkSent === testSession.date ? [testSession] : []),
    ...sessionsOf(written.schedule),
  ];
  const missed = announced.find(({ time }) => time < sentAt);
  const says = `the letter with the way in goes out at ${sentAt}, after the session at ${missed?.time} on ${missed?.date}: write an earlier hour`;
  if (missed) yield problem('edition', ['wayIn', 'sentAt'], says);
}

/** Finds questions that contradict each other, and moments that do not fit. */
function* checkQuestions({ written, problem }: EditionFolder): Problems {
  const { questions, dates } = written.edition;
  if (!questions) return;
  const { items, ended = [], remindAt, editableUntil } = questions;
  const over = `${addDays(dates.last, 1)}T00:00`;
  const late = `the retreat is over by then, on ${dates.last}: write a moment before its end`;
  if (editableUntil >= over) yield problem('edition', ['questions', 'editableUntil'], late);
  const vain = `the reminder comes when nobody can answer any more, after ${editableUntil}: write an earlier moment`;
  if (remindAt >= editableUntil) yield problem('edition', ['questions', 'remindAt'], vain);
  for (const [index, { id, choices = [] }] of items.entries()) {
    const at = (field: string, says: string) =>
      problem('edition', ['questions', 'items', index, field], says);
    const isSecond = items.findIndex((item) => item.id === id) < index;
    if (isSecond) yield at('id', `another question has the id ${id}: write a new one`);
    if (ended.includes(id))
      yield at('id', `it is among those that are asked no more, in questions.ended: take ${id} out there`);
    const twice = choices.find((choice, place) => choices.indexOf(choice) < place);
    if (twice !== undefined) yield at('choices', `“${twice}” is there twice: delete one`);
  }
}

/** Reports HTML that the sanitiser would remove: the author meant it to be shown. */
function* checkAnswers({ written, problem }: EditionFolder): Problems {
  for (const [index, { answer }] of written.faq.items.entries()) {
    const clean = sanitiseHtml(answer);
    if (clean === answer.replaceAll('\u00a0', '&nbsp;')) continue;
    const lost = (answer.match(/<[^>]+>/g) ?? []).find((tag) => !clean.includes(tag)) ?? 'HTML';
    const says = `it holds ${lost}, which the page does not show: keep to p, a, strong, em, ul, ol, li and br, close each, and write & as &amp;`;
    yield problem('faq', ['items', index, 'answer'], says);
  }
}

/** Checks that every named file and the card of link previews exist, that portraits have `alt` texts, and that films have captions. */
function* checkMedia({ written, media, problem }: EditionFolder): Problems {
  for (const { file, field, text } of namedFiles(written)) {
    if (media.includes(text)) continue;
    yield problem(file, field, `there is no ${text} in media/: put it there, or correct the name`);
  }
  const noCard = `there is no ${CARD_FILE} in media/: put a picture of 1200 by 630 pixels there, for link previews`;
  if (!media.includes(CARD_FILE)) yield problem('edition', ['search', 'card'], noCard);
  const { author, endorsements, testimonials, videos } = written.people;
  const portraits = [
    { field: ['author'], ...author },
    ...endorsements.items.map((item, index) => ({ field: ['endorsements', 'items', index], ...item })),
    ...testimonials.items.map((item, index) => ({ field: ['testimonials', 'items', index], ...item })),
  ];
  for (const { field, img, alt } of portraits) {
    if (!v.is(pictureFile, img) || alt !== undefined) continue;
    yield problem('people', field, `say in alt what ${img} shows, for those who cannot see it`);
  }
  for (const [index, { src, captions = [] }] of videos.items.entries()) {
    if (src.includes('/') || captions.length > 0) continue;
    const says = 'a film without captions: write what is said into a .vtt file, and name it in captions';
    yield problem('people', ['videos', 'items', index], says);
  }
}

/** The files of `media/` that no field names and no program needs. */
export function unusedMedia({ written, media }: EditionFolder): string[] {
  const named = new Set([CARD_FILE, ...namedFiles(written).map(({ text }) => text)]);
  return media.filter((name) => !named.has(name));
}

/** The texts that name a file of `media/`: pictures, logos, films, posters and captions. */
function namedFiles(written: Written): FoundText[] {
  const fields = ['img', 'cover', 'logo', 'src', 'poster'];
  return textsOf(written).filter(
    ({ field, text }) => fields.includes(String(field.at(-1))) && v.is(mediaFile, text),
  );
}
