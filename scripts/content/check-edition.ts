import * as v from 'valibot';
import { officePlaceholders } from '#shared/content/policies.ts';
import { cardFeeCents, dollarsToCents } from '#shared/money.ts';
import { checkDates } from './check-dates.ts';
import { checkRecordings, recordingWords } from './check-recordings.ts';
import { checkSchedule } from './check-schedule.ts';
import { checkTheme } from './check-theme.ts';
import { factsOf, isOnLate } from './compile-edition.ts';
import { unknownWords, wordsOf } from './fill-words.ts';
import type { ContentProblem, Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise-html.ts';
import { mediaFile, pictureFile, type Written } from './schemas.ts';
import { CARD_FILE } from './social-card.ts';
import { type FoundText, textsOf } from './texts-of.ts';

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
  problems.push(...checkDates(folder));
  problems.push(...checkSchedule(folder));
  checkPrice(folder.written, report);
  checkWords(folder, report);
  checkLateCharge(folder.written, report);
  problems.push(...checkRecordings(folder));
  checkAnswers(folder.written, report);
  checkMedia(folder, report);
  return [...problems, ...checkTheme(folder)];
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
  for (const { file, field, name } of unknownWords(written, words)) {
    if (!recordingWords.has(name)) report(file, field, `nothing fills in {${name}}: write one of ${known}`);
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
  for (const { file, field, text } of namedFiles(written)) {
    if (media.includes(text)) continue;
    report(file, field, `there is no ${text} in media/: put it there, or correct the name`);
  }
  const { author, endorsements, testimonials, videos } = written.people;
  const portraits = [
    { field: ['author'], ...author },
    ...endorsements.items.map((item, index) => ({ field: ['endorsements', 'items', index], ...item })),
    ...testimonials.items.map((item, index) => ({ field: ['testimonials', 'items', index], ...item })),
  ];
  for (const { field, img, alt } of portraits) {
    if (!isPicture(img) || alt !== undefined) continue;
    report('people', field, `say in alt what ${img} shows, for those who cannot see it`);
  }
  for (const [index, { src, captions = [] }] of videos.items.entries()) {
    if (src.includes('/') || captions.length > 0) continue;
    const says = 'a film without captions: write what is said into a .vtt file, and name it in captions';
    report('people', ['videos', 'items', index], says);
  }
}

/** The files of `media/` that no field names and no program needs. */
export function unusedMedia({ written, media }: EditionFolder): string[] {
  const named = new Set([CARD_FILE, ...namedFiles(written).map(({ text }) => text)]);
  return media.filter((name) => !named.has(name));
}

/** The texts that name a file of `media/`: pictures, logos, films, posters and captions. */
function namedFiles(written: Written): FoundText[] {
  return textsOf(written).filter(
    ({ field, text }) => FILE_FIELDS.has(String(field.at(-1))) && v.is(mediaFile, text),
  );
}

const FILE_FIELDS = new Set(['img', 'logo', 'src', 'poster']);

const isPicture = (name: string | undefined): boolean => v.is(pictureFile, name);

function isTimeZone(id: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: id }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
