import type { QueueMeasurement } from '#server/ops/mail-metrics.ts';
import type { RegistrationState } from '#server/record/registration-state.ts';
import type { Group } from '#server/register/listed.ts';
import type { RegisterCounts } from '#server/register/register-counts.ts';
import type { Count } from './history.ts';
import type { Look } from './look.ts';
import { formatDuration } from './moments.ts';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

/** `unknown`: it cannot be known, because Redis is unavailable, or because it was not checked yet. */
export type Verdict = 'down' | 'look' | 'unknown' | 'fine';

/** The rating of one part of the product. */
export interface Finding {
  part: string;
  verdict: Verdict;
  says: string;
  advice: readonly ({
    /** How many of the findings this advice is about; absent if it is about all. */
    count?: number;
  } & Advice)[];
  /** The filter of the office's list that shows whom it is about. */
  listed?: Group;
}

/** The thresholds of the alerts. */
const OLDEST_MAIL_S = 900;
const DUE_WORK_LATE_S = 2_700;
const COPY_LATE_S = 7_200;

const FULL = 0.9;
const MEMORY_SHORT = 0.85;
const HOLD_UP_S = 1;
/** From this many refused registrations within a quarter of an hour, they are more than a few people in a hurry. */
const MANY_REFUSED = 10;

/** @param recent what was counted in the last quarter of an hour */
export function judge(look: Look, recent: (count: Count) => number): Finding[] {
  return [
    judgeRegister(look),
    ...judgeCopies(look),
    judgeRedis(look),
    judgeStripe(look, recent('stripeFailed')),
    judgeSending(look.inRedis?.mails),
    judgeFailedMails(look.inRedis?.mails),
    judgeWorker(look),
    judgeDueWork(look),
    ...judgeFound(look),
    judgeRoom(look),
    judgeApp(look),
    judgeRequests(recent('requestsFailed')),
    judgeSignIn(recent('signInsRefused')),
    judgeLimits(recent('registrationsRefused')),
  ];
}

const finding = (
  part: string,
  verdict: Verdict,
  says: string,
  ...advice: Finding['advice'][number][]
): Finding => ({
  part,
  verdict,
  says,
  advice,
});

function judgeRegister({ isRegisterWritable, isRegisterRestored }: Look): Finding {
  const name = 'The register';
  if (!isRegisterWritable)
    return finding(name, 'down', 'It could not be written when it was last tried.', runBook.register);
  if (isRegisterRestored)
    return finding(name, 'down', 'It was restored, and nobody has confirmed it yet.', runBook.restored);
  return finding(name, 'fine', 'It was written when it was last tried.');
}

function judgeCopies({ at, copiedAt }: Look): Finding[] {
  const name = 'Copies of the register';
  if (copiedAt === undefined) return [];
  if (copiedAt === 'never') return [finding(name, 'look', 'There are none.', runBook.copies)];
  const seconds = Math.max(0, (at.getTime() - copiedAt.getTime()) / 1000);
  const made = `The newest one was made ${formatDuration(seconds)} ago.`;
  return [seconds > COPY_LATE_S ? finding(name, 'look', made, runBook.copies) : finding(name, 'fine', made)];
}

function judgeRedis({ inRedis }: Look): Finding {
  const name = 'Redis';
  if (!inRedis) return finding(name, 'down', 'It does not answer.', runBook.redisAway);
  const share = inRedis.usedShare;
  if (share === undefined) return finding(name, 'fine', 'It answers.');
  const full = `${Math.round(share * 100)}% full`;
  if (share >= FULL) return finding(name, 'look', `It is ${full}.`, runBook.redisFull);
  return finding(name, 'fine', `It answers, and is ${full}.`);
}

function judgeStripe({ stripeAnswered }: Look, failed: number): Finding {
  const name = 'Stripe';
  if (stripeAnswered === undefined) return finding(name, 'unknown', 'This process has not asked it yet.');
  if (!stripeAnswered)
    return finding(name, 'down', 'It did not answer when it was last asked.', runBook.stripe);
  if (failed > 0)
    return finding(name, 'look', `It failed ${countOf(failed, 'call')} within 15 minutes.`, runBook.stripe);
  return finding(name, 'fine', 'It answered when it was last asked.');
}

function judgeSending(mails: QueueMeasurement | undefined): Finding {
  const name = 'Sending mails';
  if (!mails) return unknownWithoutRedis(name);
  const { waiting = 0, active = 0, delayed = 0 } = mails.jobs;
  const tried = `${countOf(delayed, 'mail')} could not be sent, and will be tried again.`;
  if (mails.isPaused)
    return finding(name, 'down', 'It is paused: somebody did so on the queue’s page.', runBook.paused);
  if (mails.oldestSeconds > OLDEST_MAIL_S) {
    const oldest = `The oldest mail waits for ${formatDuration(mails.oldestSeconds)}.`;
    return finding(name, 'down', delayed > 0 ? `${oldest} ${tried}` : oldest, runBook.waiting);
  }
  if (delayed > 0) return finding(name, 'look', tried, runBook.waiting);
  const some = waiting + active;
  return finding(name, 'fine', some > 0 ? `It goes on: ${countOf(some, 'mail')} to go.` : 'No mail waits.');
}

function judgeFailedMails(mails: QueueMeasurement | undefined): Finding {
  const name = 'Failed mails';
  if (!mails) return unknownWithoutRedis(name);
  const { failed = 0 } = mails.jobs;
  if (failed === 0) return finding(name, 'fine', 'There are none.');
  const says = `${countOf(failed, 'mail')}: somebody has to act.`;
  return { ...finding(name, 'look', says, runBook.failed), listed: 'letter-failed' };
}

function judgeWorker({ inRedis }: Look): Finding {
  const name = 'The worker';
  if (inRedis?.workers === undefined) return unknownWithoutRedis(name);
  if (inRedis.workers === 0) return finding(name, 'down', 'No worker is connected.', runBook.worker);
  return finding(
    name,
    'fine',
    inRedis.workers === 1 ? 'It is connected.' : `${inRedis.workers} are connected.`,
  );
}

function judgeDueWork({ at, inRedis }: Look): Finding {
  const name = 'What is due';
  if (!inRedis) return unknownWithoutRedis(name);
  const { dueWorkAt } = inRedis;
  if (!dueWorkAt) return finding(name, 'look', 'It was not done yet.', runBook.dueWork);
  const seconds = Math.max(0, (at.getTime() - dueWorkAt.getTime()) / 1000);
  const ended = `It was last done ${formatDuration(seconds)} ago.`;
  if (seconds > DUE_WORK_LATE_S) return finding(name, 'look', ended, runBook.dueWork);
  return finding(name, 'fine', ended);
}

/** What the worker found when it looked at the registrations last. */
function judgeFound({ counts }: Look): Finding[] {
  const names = { attention: 'Payments that need a person', overdue: 'Overdue balances', refunds: 'Refunds' };
  if (!counts)
    return Object.values(names).map((name) =>
      finding(name, 'unknown', 'It cannot be told while the register cannot be read.'),
    );
  return [
    counts.attention > 0
      ? finding(names.attention, 'look', `There ${areMany(counts.attention)}.`, runBook.attention)
      : finding(names.attention, 'fine', 'There are none.'),
    judgeOverdue(names.overdue, counts.overdue),
    judgeRefunds(names.refunds, counts.registrations),
  ];
}

function judgeOverdue(name: string, overdue: RegisterCounts['overdue']): Finding {
  const all = overdue.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return finding(name, 'fine', 'There are none.');
  // Balances with these reasons will be charged without the operator's help, or come by post.
  const isUsual = overdue.every(({ reason }) => reason === 'paying' || reason === 'check');
  const counts = new Map<Advice, number>();
  for (const { reason, count } of overdue) {
    const advice = overdueAdvice[reason];
    counts.set(advice, (counts.get(advice) ?? 0) + count);
  }
  const advice = [...counts].map(([one, count]) => ({ ...one, count }));
  return {
    ...finding(name, isUsual ? 'fine' : 'look', `There ${areMany(all)}.`, ...advice),
    listed: 'late',
  };
}

function judgeRefunds(name: string, registrations: RegisterCounts['registrations']): Finding {
  const inState = (wanted: RegistrationState): number =>
    registrations.reduce((sum, { state, count }) => sum + (state === wanted ? count : 0), 0);
  const failed = inState('refund-failed');
  const pending = inState('refund-pending');
  if (failed > 0)
    return {
      ...finding(name, 'look', `${failed} failed at the bank.`, runBook.refunds),
      listed: 'needs-you',
    };
  return finding(name, 'fine', pending > 0 ? `None failed, ${pending} on the way.` : 'None failed.');
}

function judgeRoom({ isRoomMissing }: Look): Finding {
  const name = 'The video room';
  if (isRoomMissing === undefined)
    return finding(name, 'unknown', 'It cannot be told while the register cannot be read.');
  if (isRoomMissing)
    return finding(name, 'look', 'Letters are to lead there, and nobody has said where it is.', runBook.room);
  return finding(name, 'fine', 'No letter waits for its address.');
}

function judgeApp({ memoryShare, holdUpSeconds, uptimeSeconds }: Look): Finding {
  const name = 'The app';
  const memory = `${Math.round(memoryShare * 100)}% of its memory`;
  const troubles = [
    ...(memoryShare >= MEMORY_SHORT ? [`It uses ${memory}.`] : []),
    ...(holdUpSeconds >= HOLD_UP_S ? [`It was held up for ${holdUpSeconds.toFixed(1)} s.`] : []),
  ];
  if (troubles.length > 0) return finding(name, 'look', troubles.join(' '), runBook.app);
  return finding(name, 'fine', `It has run for ${formatDuration(uptimeSeconds)}, and uses ${memory}.`);
}

function judgeRequests(failed: number): Finding {
  const name = 'Requests';
  if (failed === 0) return finding(name, 'fine', 'None has failed within 15 minutes.');
  return finding(name, 'look', `${failed} failed within 15 minutes.`, runBook.requests);
}

function judgeSignIn(refused: number): Finding {
  const name = 'Signing in';
  if (refused === 0) return finding(name, 'fine', 'Nobody is kept waiting.');
  const says = `${countOf(refused, 'try', 'tries')} refused within 15 minutes, after too many wrong passwords.`;
  return finding(name, 'look', says, runBook.signIn);
}

function judgeLimits(refused: number): Finding {
  const name = 'Registering too often';
  const says = `${countOf(refused, 'registration')} refused within 15 minutes.`;
  if (refused >= MANY_REFUSED) return finding(name, 'look', says, runBook.limits);
  return finding(name, 'fine', refused === 0 ? 'Nobody does.' : says);
}

function unknownWithoutRedis(name: string): Finding {
  return finding(name, 'unknown', 'It cannot be told while Redis does not answer.');
}

const areMany = (count: number): string => (count === 1 ? 'is 1' : `are ${count}`);

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
