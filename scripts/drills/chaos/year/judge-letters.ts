import type { Story } from './account.ts';
import { type DatedMail, kindOf } from './ledger.ts';
import { addressOf } from './people.ts';
import { nameOf } from './register.ts';
import { mayComeAgain, type YearCircumstances } from './repeats.ts';
import { isAboutRetreat, nameOfRetreatLetter, owedAboutRetreat } from './retreat-letters.ts';
import { untruthOf } from './untruth.ts';

/** What happened to the letters. */
export interface LetterCount {
  expected: number;
  received: number;
  lost: number;
  untrue: number;
  /** Letters that were not owed to anybody. */
  unasked: number;
  /** Accepted again with the same Message-ID. */
  repeated: number;
  problems: string[];
}

export const noLetters = (): LetterCount => ({
  ...{ expected: 0, received: 0, lost: 0, untrue: 0, unasked: 0, repeated: 0 },
  problems: [],
});

/**
 * Compares the letters that the mail server accepted with those of each life and those about the retreat,
 * checks that each letter was true at its moment, and adds the results to `count`.
 * @param steps the moments at which the clock stopped while a worker was running
 */
export function judgeLetters(
  stories: readonly Story[],
  steps: readonly number[],
  circumstances: YearCircumstances,
  count: LetterCount,
): void {
  for (const story of stories) judgeStory(story, steps, circumstances, count);
}

function judgeStory(
  story: Story,
  steps: readonly number[],
  circumstances: YearCircumstances,
  count: LetterCount,
): void {
  const say = (what: string) => void count.problems.push(`${nameOf(story)} ${what}`);
  const taken = new Map<string, DatedMail[]>();
  for (const mail of story.mails) taken.set(mail.messageId, [...(taken.get(mail.messageId) ?? []), mail]);
  const left = new Map<string, number>();
  const expected = [...expectedOf(story), ...owedAboutRetreat(story, steps)];
  for (const name of expected) left.set(name, (left.get(name) ?? 0) + 1);
  const maybe = maybeOf(story);
  const known = new Set<string>();
  count.expected += [...left.values()].reduce((sum, each) => sum + each, 0);
  for (const [messageId, copies] of taken) {
    const [first] = copies;
    const kind = kindOf(messageId);
    const name = first && isAboutRetreat(kind) ? nameOfRetreatLetter(kind, first, story) : kind;
    const wanted = left.get(name) ?? 0;
    if (wanted > 0) {
      left.set(name, wanted - 1);
      count.received += 1;
    } else if (isAboutRetreat(kind) ? known.has(name) : !maybe.includes(kind)) {
      count.unasked += 1;
      say(`got ${name} unasked at ${time(first?.at)}`);
    }
    known.add(name);
    count.repeated += copies.length - 1;
    for (const copy of copies.slice(0, -1))
      if (!mayComeAgain(copy, circumstances))
        say(`got ${kind} twice without a cause, at ${copies.map(({ at }) => time(at))}`);
    for (const copy of copies) {
      const lie = untruthOf(kind, copy, story);
      if (!lie) continue;
      count.untrue += 1;
      say(`got an untrue ${kind} at ${time(copy.at)}: ${lie}`);
    }
  }
  for (const [name, number] of left) {
    if (number === 0) continue;
    count.lost += number;
    say(`did not get ${number} × ${name}`);
  }
}

const time = (at = Number.NaN) => new Date(at).toISOString().slice(0, 19);

/** The letters that a registration must cause, except those about the retreat. */
function expectedOf({ person, paidAt }: Story): string[] {
  if (paidAt === undefined) return ['registration-received', 'office-notice'];
  const isCorrected = addressOf(person, true) !== person.email;
  return ['welcome', 'office-paid', ...person.letters, ...(isCorrected ? ['welcome', 'office-change'] : [])];
}

/**
 * Letters that the payment may overtake before they are sent, and letters that depend on which event comes
 * first.
 */
function maybeOf({ person, paidAt }: Story): readonly string[] {
  if (paidAt === undefined) return [];
  return ['registration-received', 'office-notice', ...person.maybe];
}
