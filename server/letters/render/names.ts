import tlds from 'tlds' with { type: 'json' };
import type { Contact } from '#shared/registration.ts';

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';
const ISOLATED = /\u2068([^\u2069]*)\u2069/;

/** Control characters, line separators and unpaired surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;
/** nodemailer leaves it in an ASCII name, and a mail client would decode it. @see RFC 2047, 2 */
const ENCODED_WORD = /=\?(?=[^?]*\?[bq]\?)/gi;
/** What mail clients turn into a link whatever the ending of its domain is. */
const LINK = /:\/\/|@|\bwww\.|\.xn--|\S\.\p{L}[\p{L}\p{M}]+[/:?#]/iu;
const AFTER_PERIOD = /(?<=\S\.)\p{L}[\p{L}\p{M}]+/gu;
const NAME_BEGINS = /^[\p{Lu}\p{Lt}\p{Lo}]/u;
/** Without a scheme, mail clients make links of the endings that exist. */
const DOMAIN_ENDINGS: ReadonlySet<string> = new Set(tlds);
/** Characters that are invisible, such as a soft hyphen. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}+/gu;
const NUMERAL = /\p{N}/gu;
/** A phone number has more digits than this, and hardly any name does. */
const MOST_NUMERALS = 4;
const LONGEST_NAME = 40;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What a person typed, on one line and without characters that affect the text around it. */
export function cleanName(typed: string): string {
  return typed
    .replace(DIRECTION_MARKS, '')
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .replace(ENCODED_WORD, '= ?')
    .trim();
}

export type Names = Pick<Contact, 'firstName' | 'lastName'>;

export function fullName({ firstName, lastName }: Names): string {
  return cleanName(`${firstName} ${lastName}`);
}

/** Empty if mail clients would make a link of it: anybody could send that link in our letter, as a name. */
export function safeName(name: string): string {
  return isLink(seenAs(name)) ? '' : name;
}

/** `St.John` goes on with a capital and ends as no domain does; `evil.com` and `Evil.Com` are links. */
function isLink(seen: string): boolean {
  const parts = seen.match(AFTER_PERIOD) ?? [];
  return (
    LINK.test(seen) || parts.some((part) => !NAME_BEGINS.test(part) || DOMAIN_ENDINGS.has(part.toLowerCase()))
  );
}

/** Full-width variants and the like as people read them; an ideographic period is a domain's. @see UTS #46 */
function seenAs(name: string): string {
  return name.normalize('NFKC').replace(UNSEEN, '').replaceAll('。', '.');
}

/**
 * Without names that may be a message, in a letter that anybody could have caused to be sent to that address:
 * with a link or a number to call, or longer than almost all. Both are judged together: a message can be
 * split between them.
 */
export function withProbableNames<Named extends Names>(job: Named): Named {
  return mayBeMessage(job) ? { ...job, firstName: '', lastName: '' } : job;
}

function mayBeMessage({ firstName, lastName }: Names): boolean {
  const names = [firstName, lastName].map((name) => cleanName(name).normalize('NFKC'));
  const length = [...names.join('')].length;
  const seen = seenAs(names.join(' '));
  return length > LONGEST_NAME || countNumerals(seen) > MOST_NUMERALS || isLink(seen);
}

function countNumerals(text: string): number {
  return text.match(NUMERAL)?.length ?? 0;
}

/** Keeps a name's own direction from moving the words around it. */
export function isolate(name: string): string {
  const cleaned = cleanName(name);
  return cleaned && `${FIRST_STRONG_ISOLATE}${cleaned}${POP_DIRECTIONAL_ISOLATE}`;
}

/** The parts of a text in turn: ours at even places, isolated ones at odd places. */
export function splitIsolated(text: string): string[] {
  return text.split(ISOLATED);
}

/** For plain text: keeps the marks only where they matter, since some clients show them. */
export function dropNeedlessMarks(text: string): string {
  return splitIsolated(text)
    .map((part, index) => (index % 2 === 1 && RIGHT_TO_LEFT.test(part) ? isolate(part) : part))
    .join('');
}
