import { COPY_LATE_S } from '#server/database/copies.ts';
import type { QueueMeasurement } from '#server/ops/mail-metrics.ts';
import type { RegistrationState } from '#server/record/registration-state.ts';
import type { RegisterCounts } from '#server/register/register-counts.ts';
import type { Group } from '#server/register/registration-index.ts';
import type { Count } from './history.ts';
import type { Look } from './look.ts';
import { formatDuration } from './moments.ts';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

/** `unknown`: it cannot be known, because Redis is unavailable, or because it was not checked yet. */
export type Verdict = 'down' | 'look' | 'unknown' | 'fine';

/** The rating of one part of the product. */
export interface Finding extends Rating {
  part: string;
}

interface Rating {
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

const FULL = 0.9;
const MEMORY_SHORT = 0.85;
const HOLD_UP_S = 1;
/** From this many refused registrations within a quarter of an hour, they are more than a few people in a hurry. */
const MANY_REFUSED = 10;

/** @param recent what was counted in the last quarter of an hour */
export function judge(look: Look, recent: (count: Count) => number): Finding[] {
  const { counts } = look;
  const mails = look.inRedis?.mails;
  const ratings: Record<string, Rating | undefined> = {
    'The register': rateRegister(look),
    'Copies of the register': rateCopies(look),
    Redis: rateRedis(look),
    Stripe: rateStripe(look, recent('stripeFailed')),
    'Sending mails': mails ? rateSending(mails) : WITHOUT_REDIS,
    'Failed mails': mails ? rateFailedMails(mails) : WITHOUT_REDIS,
    'The worker': rateWorker(look),
    'What is due': rateDueWork(look),
    'Payments that need a person': counts ? rateAttention(counts) : WITHOUT_REGISTER,
    'Overdue balances': counts ? rateOverdue(counts) : WITHOUT_REGISTER,
    Refunds: counts ? rateRefunds(counts) : WITHOUT_REGISTER,
    'The video room': rateRoom(look),
    'The app': rateApp(look),
    Requests: rateRequests(recent('requestsFailed')),
    'Signing in': rateSignIn(recent('signInsRefused')),
    'Registering too often': rateLimits(recent('registrationsRefused')),
  };
  return Object.entries(ratings).flatMap(([part, rating]) => (rating ? [{ part, ...rating }] : []));
}

const rated =
  (verdict: Verdict) =>
  (says: string, ...advice: Rating['advice']): Rating => ({ verdict, says, advice });
const down = rated('down');
const lookAt = rated('look');
const unknown = rated('unknown');
const fine = rated('fine');

const WITHOUT_REDIS = unknown('It cannot be told while Redis does not answer.');
const WITHOUT_REGISTER = unknown('It cannot be told while the register cannot be read.');

function rateRegister({ isRegisterWritable, isRegisterRestored }: Look): Rating {
  if (!isRegisterWritable) return down('It could not be written when it was last tried.', runBook.register);
  if (isRegisterRestored) return down('It was restored, and nobody has confirmed it yet.', runBook.restored);
  return fine('It was written when it was last tried.');
}

function rateCopies({ at, copiedAt }: Look): Rating | undefined {
  if (copiedAt === undefined) return undefined;
  if (copiedAt === 'never') return lookAt('There are none.', runBook.copies);
  const seconds = secondsBetween(copiedAt, at);
  const made = `The newest one was made ${formatDuration(seconds)} ago.`;
  return seconds > COPY_LATE_S ? lookAt(made, runBook.copies) : fine(made);
}

function rateRedis({ inRedis }: Look): Rating {
  if (!inRedis) return down('It does not answer.', runBook.redisAway);
  const share = inRedis.usedShare;
  if (share === undefined) return fine('It answers.');
  const full = `${Math.round(share * 100)}% full`;
  return share >= FULL ? lookAt(`It is ${full}.`, runBook.redisFull) : fine(`It answers, and is ${full}.`);
}

function rateStripe({ stripeAnswered }: Look, failed: number): Rating {
  if (stripeAnswered === undefined) return unknown('This process has not asked it yet.');
  if (!stripeAnswered) return down('It did not answer when it was last asked.', runBook.stripe);
  if (failed > 0) return lookAt(`It failed ${countOf(failed, 'call')} within 15 minutes.`, runBook.stripe);
  return fine('It answered when it was last asked.');
}

function rateSending({ jobs, oldestSeconds, isPaused }: QueueMeasurement): Rating {
  const { waiting = 0, active = 0, delayed = 0 } = jobs;
  const tried = `${countOf(delayed, 'mail')} could not be sent, and will be tried again.`;
  if (isPaused) return down('It is paused: somebody did so on the queue’s page.', runBook.paused);
  if (oldestSeconds > OLDEST_MAIL_S) {
    const oldest = `The oldest mail waits for ${formatDuration(oldestSeconds)}.`;
    return down(delayed > 0 ? `${oldest} ${tried}` : oldest, runBook.waiting);
  }
  if (delayed > 0) return lookAt(tried, runBook.waiting);
  const some = waiting + active;
  return fine(some > 0 ? `It goes on: ${countOf(some, 'mail')} to go.` : 'No mail waits.');
}

function rateFailedMails({ jobs: { failed = 0 } }: QueueMeasurement): Rating {
  if (failed === 0) return fine('There are none.');
  const says = `${countOf(failed, 'mail')}: somebody has to act.`;
  return { ...lookAt(says, runBook.failed), listed: 'letter-failed' };
}

function rateWorker({ inRedis }: Look): Rating {
  if (inRedis?.workers === undefined) return WITHOUT_REDIS;
  if (inRedis.workers === 0) return down('No worker is connected.', runBook.worker);
  return fine(inRedis.workers === 1 ? 'It is connected.' : `${inRedis.workers} are connected.`);
}

function rateDueWork({ at, inRedis }: Look): Rating {
  if (!inRedis) return WITHOUT_REDIS;
  const { dueWorkAt } = inRedis;
  if (!dueWorkAt) return lookAt('It was not done yet.', runBook.dueWork);
  const seconds = secondsBetween(dueWorkAt, at);
  const ended = `It was last done ${formatDuration(seconds)} ago.`;
  return seconds > DUE_WORK_LATE_S ? lookAt(ended, runBook.dueWork) : fine(ended);
}

function rateAttention({ attention }: RegisterCounts): Rating {
  return attention > 0 ? lookAt(`There ${areMany(attention)}.`, runBook.attention) : fine('There are none.');
}

function rateOverdue({ overdue }: RegisterCounts): Rating {
  const all = overdue.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return fine('There are none.');
  // Balances with these reasons will be charged without the operator's help, or come by post.
  const isUsual = overdue.every(({ reason }) => reason === 'paying' || reason === 'check');
  const counts = new Map<Advice, number>();
  for (const { reason, count } of overdue) {
    const advice = overdueAdvice[reason];
    counts.set(advice, (counts.get(advice) ?? 0) + count);
  }
  const advice = [...counts].map(([one, count]) => ({ ...one, count }));
  return { ...(isUsual ? fine : lookAt)(`There ${areMany(all)}.`, ...advice), listed: 'late' };
}

function rateRefunds({ registrations }: RegisterCounts): Rating {
  const inState = (wanted: RegistrationState): number =>
    registrations.reduce((sum, { state, count }) => sum + (state === wanted ? count : 0), 0);
  const failed = inState('refund-failed');
  const pending = inState('refund-pending');
  if (failed > 0) return { ...lookAt(`${failed} failed at the bank.`, runBook.refunds), listed: 'needs-you' };
  return fine(pending > 0 ? `None failed, ${pending} on the way.` : 'None failed.');
}

function rateRoom({ isRoomMissing }: Look): Rating {
  if (isRoomMissing === undefined) return WITHOUT_REGISTER;
  if (isRoomMissing)
    return lookAt('Letters are to lead there, and nobody has said where it is.', runBook.room);
  return fine('No letter waits for its address.');
}

function rateApp({ memoryShare, holdUpSeconds, uptimeSeconds }: Look): Rating {
  const memory = `${Math.round(memoryShare * 100)}% of its memory`;
  const troubles = [
    ...(memoryShare >= MEMORY_SHORT ? [`It uses ${memory}.`] : []),
    ...(holdUpSeconds >= HOLD_UP_S ? [`It was held up for ${holdUpSeconds.toFixed(1)} s.`] : []),
  ];
  if (troubles.length > 0) return lookAt(troubles.join(' '), runBook.app);
  return fine(`It has run for ${formatDuration(uptimeSeconds)}, and uses ${memory}.`);
}

function rateRequests(failed: number): Rating {
  if (failed === 0) return fine('None has failed within 15 minutes.');
  return lookAt(`${failed} failed within 15 minutes.`, runBook.requests);
}

function rateSignIn(refused: number): Rating {
  if (refused === 0) return fine('Nobody is kept waiting.');
  const says = `${countOf(refused, 'try', 'tries')} refused within 15 minutes, after too many wrong passwords.`;
  return lookAt(says, runBook.signIn);
}

function rateLimits(refused: number): Rating {
  const says = `${countOf(refused, 'registration')} refused within 15 minutes.`;
  if (refused >= MANY_REFUSED) return lookAt(says, runBook.limits);
  return fine(refused === 0 ? 'Nobody does.' : says);
}

const secondsBetween = (start: Date, end: Date): number =>
  Math.max(0, (end.getTime() - start.getTime()) / 1000);

const areMany = (count: number): string => (count === 1 ? 'is 1' : `are ${count}`);

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
