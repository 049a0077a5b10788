import type { Story } from './account.ts';
import type { RetreatLived, Span } from './editions.ts';
import { type DatedMail, kindOf } from './ledger.ts';
import { addressOf } from './people.ts';
import { isCancelledAt, settledAt, wasAlive } from './story-at.ts';

/** Letters that are due when the clock reaches a moment are sent within this time. */
const SENT_WITHIN_MS = 10 * 60 * 1000;

const KINDS: readonly string[] = ['test-session', 'way-in', 'schedule-changed', 'recordings'];

/** Whether a letter is about the retreat itself; lives do not list these. */
export const isAboutRetreat = (kind: string): boolean => KINDS.includes(kind);

/** Distinguishes a letter about the retreat from the others of its kind: each comes once. */
export function nameOfRetreatLetter(
  kind: string,
  { at, subject, recipients }: DatedMail,
  story: Story,
): string {
  return `${kind} ${tellsOf(kind, at, subject, story)} to ${recipients}`;
}

function tellsOf(kind: string, at: number, subject: string, { person, announced }: Story): string {
  if (kind === 'way-in') return wayInOf(subject, person.edition.retreat)?.day ?? subject;
  const before = announced.filter(({ what, askedAt }) => what === kind && askedAt <= at);
  return String(before.length);
}

/** The day whose way in a letter gives, according to its subject. */
export function wayInOf(subject: string, { wayIn }: RetreatLived): (Span & { day: string }) | undefined {
  return wayIn.find(({ day }) => subject.includes(day));
}

/**
 * The names of the letters about the retreat that a registration is certainly owed: the clock stopped while
 * each was due, she had not cancelled, and nothing that happened then made it uncertain whether she gets it.
 * @param steps the moments at which the clock stopped while a worker was running
 */
export function owedAboutRetreat(story: Story, steps: readonly number[]): string[] {
  const { person, announced, paidAt = Number.POSITIVE_INFINITY } = story;
  const { retreat, moments } = person.edition;
  const owed = new Set<string>();
  for (const at of steps) {
    const to = addressAt(story, at);
    if (!to || at < paidAt || !isComing(story, at) || !isWelcomed(story, to, at)) continue;
    const isSettled = settledAt(story) <= at;
    const owe = (kind: string, tells: string) => void owed.add(`${kind} ${tells} to ${to}`);
    if (isWithin(at, retreat.testSession)) owe('test-session', '0');
    if (isSettled || at < story.disputedAt)
      for (const one of retreat.wayIn) if (isWithin(at, one)) owe('way-in', one.day);
    for (const what of ['schedule-changed', 'recordings'] as const) {
      const said = announced.filter((one) => one.what === what && one.askedAt <= at + SENT_WITHIN_MS);
      const last = said.at(-1);
      if (!last || at < last.doneAt) continue;
      const isOwed =
        what === 'recordings'
          ? isSettled && at >= (retreat.recordings ?? Number.POSITIVE_INFINITY)
          : paidAt < last.askedAt && at + SENT_WITHIN_MS < moments.ends;
      if (isOwed) owe(what, String(said.length));
    }
  }
  return [...owed];
}

const isWithin = (at: number, { from, until }: Span): boolean => from <= at && at + SENT_WITHIN_MS < until;

/** A registrant who registers this late gets the welcome first. */
function isWelcomed({ mails }: Story, address: string, at: number): boolean {
  return mails.some(
    (one) => kindOf(one.messageId) === 'welcome' && one.recipients.includes(address) && one.at < at,
  );
}

/**
 * The address of letters at a moment and a while after it; undefined if it changes meanwhile, or no letter
 * arrives there.
 */
function addressAt(story: Story, at: number): string | undefined {
  const [before, after] = [at, at + SENT_WITHIN_MS].map((moment) =>
    addressOf(story.person, moment >= story.correctedAt),
  );
  if (before === undefined || before !== after) return undefined;
  return wasAlive(story, before, at, at + SENT_WITHIN_MS) ? before : undefined;
}

function isComing(story: Story, at: number): boolean {
  return !isCancelledAt(story, at) && !isCancelledAt(story, at + SENT_WITHIN_MS);
}
