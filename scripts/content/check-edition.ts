import * as v from 'valibot';
import { officePlaceholders } from '#shared/content/policies.ts';
import { addDays } from '#shared/local-time.ts';
import { cardFeeCents, dollarsToCents } from '#shared/money.ts';
import { checkRecordings, recordingWords } from './check-recordings.ts';
import { checkSchedule } from './check-schedule.ts';
import { checkTheme } from './check-theme.ts';
import { factsOf, isOnLate } from './compile-edition.ts';
import { unknownWords, wordsOf } from './fill-words.ts';
import type { ContentProblem, Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise-html.ts';
import { mediaFile, pictureFile, type Written } from './schemas.ts';

type FileName = keyof Written;
type Report = (file: FileName, field: Field, says: string) => void;

/** Finds contradictions in an edition whose files are each valid by their schemas. */
export function checkEdition(folder: EditionFolder): ContentProblem[] {
  const problems: ContentProblem[] = [];
  const report: Report = (file, field, says) => problems.push(folder.problem(file, field, says));
  if (!isTimeZone(folder.written.edition.timeZone.id)) {
    report('edition', ['timeZone', 'id'], 'no such time zone: write one such as America/Los_Angeles');
    return problems;
  }
  checkDates(folder.written, report);
  problems.push(...checkSchedule(folder));
  checkPrice(folder.written, report);
  checkWords(folder, report);
  checkLateCharge(folder.written, report);
  problems.push(...checkRecordings(folder));
  checkAnswers(folder.written, report);
  checkMedia(folder, report);
  return [...problems, ...checkTheme(folder)];
}

/** Nobody is charged without a notice at least this many days before. */
const LEAST_NOTICE_DAYS = 3;

function checkDates({ edition }: Written, report: Report): void {
  const { dates, registration, price, balance, wayIn } = edition;
  const inOrder = (field: Field, earlier: string, later: string, says: string) => {
    if (earlier > later) report('edition', field, says);
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
    report(
      'edition',
      ['balance', 'noticeDays'],
      `the terms promise ${LEAST_NOTICE_DAYS} days at least: write more`,
    );
  }
  if (balance.lateDays <= LEAST_NOTICE_DAYS) {
    const says = `it leaves no time for a notice ${LEAST_NOTICE_DAYS} days before the charge: write more`;
    report('edition', ['balance', 'lateDays'], says);
  }
  inOrder(
    ['balance', 'reminderDays'],
    addDays(price.balanceDue, -balance.noticeDays),
    addDays(price.balanceDue, -balance.reminderDays),
    `the reminder goes out before the notice, ${balance.noticeDays} days ahead: write less`,
  );
  inOrder(
    ['tryOutFrom'],
    edition.tryOutFrom,
    registration.closes,
    `registration has closed by then, on ${registration.closes}: write an earlier moment`,
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
}

function checkPrice({ edition }: Written, report: Report): void {
  const { tuition, regularTuition, depositBeforeFee, cardFee, deposit } = edition.price;
  if (regularTuition <= tuition) {
    report(
      'edition',
      ['price', 'regularTuition'],
      `it is no higher than the tuition of ${tuition}, and the page tells what is saved: write the regular price`,
    );
  }
  if (depositBeforeFee >= tuition) {
    report(
      'edition',
      ['price', 'depositBeforeFee'],
      `it leaves nothing of the tuition of ${tuition} to pay later: write less`,
    );
  }
  const cents = dollarsToCents(depositBeforeFee);
  const wanted = Math.round((cents + cardFeeCents(cents, cardFee * 10)) / 100);
  if (deposit !== wanted) {
    const sum = `${depositBeforeFee} plus ${cardFee} percent is ${wanted} in whole dollars, not ${deposit}`;
    report(
      'edition',
      ['price', 'deposit'],
      `the price does not add up: ${sum}. Write ${wanted}, or correct the others`,
    );
  }
}

function checkWords({ id, written }: EditionFolder, report: Report): void {
  const words = wordsOf(factsOf(id, written.edition), written.schedule);
  const known = [...words.keys(), ...officePlaceholders].map((name) => `{${name}}`).join(', ');
  for (const { field, name } of unknownWords(written, words)) {
    const [file, ...rest] = field;
    if (!recordingWords.has(name) && isFileName(file, written))
      report(file, rest, `nothing fills in {${name}}: write one of ${known}`);
  }
}

/**
 * Without such a policy, a registrant who pays the deposit late has not agreed to be charged for the balance.
 */
function checkLateCharge({ terms }: Written, report: Report): void {
  if (terms.policies.some(({ paragraphs }) => paragraphs.some(isOnLate))) return;
  const says = 'no policy says how the balance of a late deposit is charged: tell it, with {lateDays}';
  report('terms', ['policies'], says);
}

const isFileName = (name: unknown, written: Written): name is FileName =>
  typeof name === 'string' && name in written;

/** Reports HTML that the sanitiser would remove: the author meant it to be shown. */
function checkAnswers({ faq }: Written, report: Report): void {
  faq.items.forEach(({ answer }, index) => {
    const clean = sanitiseHtml(answer);
    if (clean === answer.replaceAll('\u00a0', '&nbsp;')) return;
    const lost = (answer.match(/<[^>]+>/g) ?? []).find((tag) => !clean.includes(tag)) ?? 'HTML';
    report(
      'faq',
      ['items', index, 'answer'],
      `it holds ${lost}, which the page does not show: keep to p, a, strong, em, ul, ol, li and br, close each, and write & as &amp;`,
    );
  });
}

/** Checks that every named file exists, that portraits have `alt` texts, and that films have captions. */
function checkMedia({ written, media }: EditionFolder, report: Report): void {
  for (const { file, field, name } of namedFiles(written)) {
    if (media.includes(name)) continue;
    report(file, field, `there is no ${name} in media/: put it there, or correct the name`);
  }
  const { author, endorsements, videos } = written.people;
  const portraits = [author, ...endorsements.items];
  for (const [index, { img, alt }] of portraits.entries()) {
    if (!isPicture(img) || alt !== undefined) continue;
    const field = index === 0 ? ['author'] : ['endorsements', 'items', index - 1];
    report('people', field, `say in alt what ${img} shows, for those who cannot see it`);
  }
  for (const [index, { src, captions = [] }] of videos.items.entries()) {
    if (src.includes('/') || captions.length > 0) continue;
    const says = 'a film without captions: write what is said into a .vtt file, and name it in captions';
    report('people', ['videos', 'items', index], says);
  }
}

interface NamedFile {
  file: FileName;
  field: Field;
  name: string;
}

/** The files that fields name: pictures, logos, films, posters and captions. */
function namedFiles({ page, people, outlets }: Written): NamedFile[] {
  const found: NamedFile[] = [];
  const search = (file: FileName, value: unknown, field: Field): void => {
    if (typeof value === 'object' && value !== null) {
      const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      for (const [key, part] of parts) search(file, part, [...field, key]);
    } else if (typeof value === 'string' && FILE_FIELDS.has(String(field.at(-1))) && isFile(value)) {
      found.push({ file, field, name: value });
    }
  };
  search('page', page, []);
  search('people', people, []);
  search('outlets', outlets, []);
  return found;
}

const FILE_FIELDS = new Set(['img', 'logo', 'src', 'poster']);

const isPicture = (name: string): boolean => v.is(pictureFile, name);
const isFile = (name: string): boolean => v.is(mediaFile, name);

function isTimeZone(id: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: id }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
