import { sampleOffice } from '#scripts/product/environment.ts';
import { type Circumstances, jobIdOf, mayRepeat } from '../judge-mails.ts';
import { addressOf, dueAt, dueCents, type Story } from './account.ts';
import { dayOf } from './judge-money.ts';
import type { DatedMail } from './ledger.ts';
import { moments } from './lives.ts';

/** What became of the letters. */
export interface LetterCount {
  expected: number;
  received: number;
  lost: number;
  untrue: number;
  /** Nobody owes them. */
  unasked: number;
  /** Taken once more with the same Message-ID. */
  repeated: number;
  /** What the office was told once a day. */
  digests: number;
  problems: string[];
}

export const noLetters = (): LetterCount => ({
  ...{ expected: 0, received: 0, lost: 0, untrue: 0, unasked: 0, repeated: 0, digests: 0 },
  problems: [],
});

/** What was to be told, and what may explain that it was told again. */
interface Told {
  stories: readonly Story[];
  mails: readonly DatedMail[];
  /** Where the clock stood. */
  steps: readonly number[];
  circumstances: YearCircumstances;
}

/** What may explain that a letter came again. */
export interface YearCircumstances extends Circumstances {
  /** Jobs whose letters were sent while Stripe could not record it. */
  unrecorded: ReadonlySet<string>;
}

/** The jobs whose letters were sent and not recorded at once, by what the worker's log says of them. */
export function unrecordedIn(lines: readonly string[]): Set<string> {
  const unrecorded = lines.filter((line) => line.includes('was sent, but Stripe has not recorded it yet'));
  return new Set(unrecorded.flatMap((line) => /"job":"([^"]+)"/.exec(line)?.[1] ?? []));
}

/**
 * Compares what the mail server took with what each life comes to, and each letter with its moment; counts it with what
 * was counted before.
 */
export function judgeLetters({ stories, circumstances, ...told }: Told, count: LetterCount): void {
  for (const story of stories) judgeStory(story, circumstances, count);
  judgeDigests(told, circumstances, count);
}

const FIRST_HOUR = 8;

/** The office gets one on each day on which something needs it: from the notice on, somebody has to be asked to pay. */
function judgeDigests(
  { mails, steps }: Pick<Told, 'mails' | 'steps'>,
  circumstances: YearCircumstances,
  count: LetterCount,
): void {
  const digests = mails.filter(({ messageId }) => messageId.startsWith('<office-digest-'));
  count.digests += digests.length;
  const days = new Map<string, DatedMail[]>();
  for (const digest of digests) {
    const [day = ''] = /\d{4}-\d\d-\d\d(?=@)/.exec(digest.messageId) ?? [];
    if (localTime(digest.at).slice(0, 10) !== day)
      count.problems.push(`the digest of ${day} came ${localTime(digest.at)}`);
    days.set(day, [...(days.get(day) ?? []), digest]);
  }
  const times = steps.filter((at) => at > moments.notice).map(localTime);
  const owed = new Set(
    times.filter((time) => Number(time.slice(11, 13)) >= FIRST_HOUR).map((time) => time.slice(0, 10)),
  );
  for (const day of owed) if (!days.has(day)) count.problems.push(`the office got no digest on ${day}`);
  for (const [day, copies] of days) {
    const again = copies
      .slice(0, -1)
      .filter((copy) => !wasForgotten(copy, circumstances) && !mayRepeat(copy, circumstances));
    if (again.length > 0)
      count.problems.push(`the office got ${copies.length} digests on ${day} without a cause`);
  }
}

/** The walk records what Stripe could not, unless the queue was lost before. */
function mayComeAgain(mail: DatedMail, circumstances: YearCircumstances): boolean {
  const isForgotten = circumstances.unrecorded.has(jobIdOf(mail)) && wasForgotten(mail, circumstances);
  return isForgotten || mayRepeat(mail, circumstances);
}

/** Nothing but the queue knows that a digest was sent. */
function wasForgotten({ atMs }: DatedMail, { faults }: Circumstances): boolean {
  return faults.some(({ kind, untilMs }) => kind === 'redis-forgets' && untilMs >= atMs);
}

/** On the retreat's clock: `2025-12-21 17:00:00`. */
function localTime(at: number): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone: 'America/Los_Angeles' });
}

function judgeStory(story: Story, circumstances: YearCircumstances, count: LetterCount): void {
  const say = (what: string) => void count.problems.push(`${story.depositId} (${story.person.life}) ${what}`);
  const taken = new Map<string, DatedMail[]>();
  for (const mail of story.mails) taken.set(mail.messageId, [...(taken.get(mail.messageId) ?? []), mail]);
  const left = new Map<string, number>();
  for (const kind of expectedOf(story)) left.set(kind, (left.get(kind) ?? 0) + 1);
  count.expected += [...left.values()].reduce((sum, each) => sum + each, 0);
  for (const [messageId, copies] of taken) {
    const kind = kindOf(messageId);
    const wanted = left.get(kind) ?? 0;
    if (wanted > 0) {
      left.set(kind, wanted - 1);
      count.received += 1;
    } else if (!maybeOf(story).includes(kind)) {
      count.unasked += 1;
      say(`got ${kind} unasked at ${time(copies[0]?.at)}`);
    }
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
  for (const [kind, number] of left) {
    if (number === 0) continue;
    count.lost += number;
    say(`did not get ${number} × ${kind}`);
  }
}

const time = (at = Number.NaN) => new Date(at).toISOString().slice(0, 19);

function kindOf(messageId: string): string {
  return /^<([a-z-]+)-pi_/.exec(messageId)?.[1] ?? messageId;
}

/** What a registration owes. */
function expectedOf({ person, paidAt }: Story): string[] {
  if (paidAt === undefined) return ['registration-received', 'office-notice'];
  const isCorrected = addressOf(person, true) !== person.email;
  return ['welcome', 'office-paid', ...person.letters, ...(isCorrected ? ['welcome', 'office-change'] : [])];
}

/** What may be overtaken by the payment before it is sent, and what depends on who was first. */
function maybeOf({ person, paidAt }: Story): readonly string[] {
  if (paidAt === undefined) return [];
  const early = ['registration-received', 'office-notice'];
  return person.life === 'pays-meanwhile' ? [...early, 'balance-failed'] : early;
}

/** What a letter says that did not hold; undefined when all of it held at some moment while it was under way. */
function untruthOf(kind: string, mail: DatedMail, story: Story): string | undefined {
  const { at, underWaySince: since, text } = mail;
  const { paidAt = Number.POSITIVE_INFINITY, paid, person } = story;
  const isToOffice = kind.startsWith('office-');
  const addresses = isToOffice ? [sampleOffice.OFFICE_EMAIL] : [person.email, addressOf(person, true)];
  if (!mail.recipients.every((one) => addresses.includes(one))) return 'it went to somebody else';
  const settledAt = Math.min(paid[0]?.at ?? Number.POSITIVE_INFINITY, story.checkCameAt);
  const isOpen = (): string | undefined => {
    if (since > settledAt) return 'it is paid';
    if (since > story.cancelledAt) return 'she cancelled';
    if (since > story.disputedAt) return 'she disputes it';
    return at < paidAt ? 'the deposit is not paid' : undefined;
  };
  switch (kind) {
    case 'registration-received':
    case 'office-notice':
      return since > paidAt ? 'the deposit is paid' : undefined;
    case 'welcome':
    case 'office-paid':
      return at < paidAt ? 'the deposit is not paid' : undefined;
    case 'balance-notice':
    case 'balance-postponed':
    case 'balance-reminder':
      return isOpen() ?? untruthOfCharge(kind, mail, story);
    case 'please-pay':
      return (
        isOpen() ?? (paid.some(({ withoutHer }) => withoutHer) ? 'she is charged all the same' : undefined)
      );
    case 'balance-failed':
      if (!story.refusedAt.some((refused) => refused <= at)) return 'no card was refused';
      return isOpen() ?? (tellsSum(text, dueCents(story, since)) ? undefined : 'another sum is due');
    case 'balance-paid': {
      if (at < settledAt) return 'it is not paid';
      const cents = paid[0]?.cents ?? 70_000;
      return tellsSum(text, cents) && tellsSum(text, 72_100) ? undefined : 'other sums were paid';
    }
    default:
      return undefined;
  }
}

/** A charge ahead: its day and sum hold, she has not decided otherwise, and a notice comes in time. */
function untruthOfCharge(
  kind: string,
  { at, underWaySince: since, text }: DatedMail,
  story: Story,
): string | undefined {
  const due = [since, at].map((moment) => dueAt(story, moment));
  if (!due.some((moment) => text.includes(dayOf(moment)))) return 'another day is due';
  if (!due.some((moment) => since < moment)) return 'the day is past';
  if (since > story.checkAt) return 'she pays by check';
  if (story.person.cents === 0 && since > story.waivedAt) return 'it is waived';
  if (![since, at].some((moment) => tellsSum(text, dueCents(story, moment)))) return 'another sum is due';
  const isTooLate =
    kind !== 'balance-reminder' && !due.some((moment) => since <= moment - 3 * 24 * 60 * 60 * 1000);
  return isTooLate ? 'it comes too late for the charge' : undefined;
}

function tellsSum(text: string, cents: number): boolean {
  return text.includes(
    (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' }).replace('.00', ''),
  );
}
