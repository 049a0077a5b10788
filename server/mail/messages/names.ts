import type { MailJob } from '#server/mail/job.ts';

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';
const ISOLATED = /\u2068([^\u2069]*)\u2069/;

/** Control characters, line separators and halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;
/** Marks that turn the direction of whatever follows them. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What mail clients make a link of. */
const LINK = /:\/\/|@|[\p{L}\d]\.\p{L}{2,}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What a person typed, on one line and without anything that acts on the text around it. */
export function cleanName(typed: string): string {
  return typed.replace(DIRECTION_MARKS, '').replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

/** First and last name, as typed into the form. */
export function fullName({ firstName, lastName }: Pick<MailJob, 'firstName' | 'lastName'>): string {
  return cleanName(`${firstName} ${lastName}`);
}

/**
 * A name as a letter to that address may carry it: empty where clients would make a link of it. Anybody can enter
 * anybody's address, and a link for a name would make the letter an errand of theirs.
 */
export function safeName(name: string): string {
  return LINK.test(name) ? '' : name;
}

/** Keeps a name's own direction from moving the words around it. `splitIsolated` finds it again. */
export function isolate(name: string): string {
  const cleaned = cleanName(name);
  return cleaned && `${FIRST_STRONG_ISOLATE}${cleaned}${POP_DIRECTIONAL_ISOLATE}`;
}

/** The parts of a text in turn: ours at even places, isolated ones at odd places. */
export function splitIsolated(text: string): string[] {
  return text.split(ISOLATED);
}

/** For plain text: the marks stay only where they matter, since some clients draw them. */
export function dropNeedlessMarks(text: string): string {
  return splitIsolated(text)
    .map((part, index) => (index % 2 === 1 && RIGHT_TO_LEFT.test(part) ? isolate(part) : part))
    .join('');
}
