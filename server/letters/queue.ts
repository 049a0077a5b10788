import { type JobState, type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/config/logger.ts';
import { queueOn } from '#server/ops/connect-redis.ts';
import { withTimeout } from '#server/ops/work.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { SENT_KEPT_DAYS } from '#shared/kept-for.ts';
import { messages } from '#shared/registration.ts';
import type { OwedLetter } from './letter-kind.ts';
import type { LetterLog, RecordedLetter } from './letter-log.ts';
import { traitOf } from './table.ts';

export const MAIL_QUEUE_NAME = 'mail';

const DAY_S = 24 * 60 * 60;

/** In seconds, how long a sent mail stays on the queue, and its address on record: see the privacy text. */
export const SENT_KEPT_S = SENT_KEPT_DAYS * DAY_S;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
const JITTER = 0.2;

/**
 * Retries go on for more than three days, see `mailBackoffMs`. Sent jobs stay for thirty days, for support,
 * or a day where nobody has paid (`removeOld` in `due-work.ts`); failed ones stay until a person acts.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 108,
  backoff: { type: 'capped' },
  stackTraceLimit: 20,
  removeOnComplete: { age: SENT_KEPT_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/** Five seconds, doubled after each attempt, an hour at most, minus a random part of up to a fifth. */
export function mailBackoffMs(attemptsMade: number): number {
  const mostMs = Math.min(FIRST_RETRY_MS * 2 ** (attemptsMade - 1), LONGEST_RETRY_MS);
  return Math.round(mostMs * (1 - JITTER * Math.random()));
}

/** How long its answered request waits for Redis to queue its mails while Redis is down or hangs. */
const ADD_TIMEOUT_MS = 150;

/** How long a request may wait until its letters are recorded as owed, while others write to the register. */
const OWE_TIMEOUT_MS = 1_000;

const ANSWER_TIMEOUT_MS = 1_000;

/** A letter is queued once it is recorded as owed: after this long its job was not added, or is lost. */
const LOST_AFTER_MS = 2 * 60_000;

export class MailQueueUnavailable extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    const cause = new Error(`The mail could not be queued: ${reason}`, options);
    super({ code: 'mail_queue_unavailable', status: 503, message: messages.unexpected, cause });
  }
}

export type MailQueue = ReturnType<typeof createMailQueue>;

/** BullMQ's queue of letters: a job has the id of its letter in the log, and no data. */
export type LetterQueue = Queue<null>;

interface MailQueueOptions {
  letterLog: Pick<LetterLog, 'owe'>;
  now: () => Date;
  addTimeoutMs?: number | undefined;
}

/** Owns its connection, which `connectProducer` made. */
export function createMailQueue(
  redis: Redis,
  logger: Logger,
  { letterLog, now, addTimeoutMs = ADD_TIMEOUT_MS }: MailQueueOptions,
) {
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const isReady = (): boolean => redis.status === 'ready';
  let awaySince = isReady() ? undefined : new Date();
  redis.on('close', () => {
    awaySince ??= new Date();
  });
  redis.on('ready', () => {
    awaySince = undefined;
  });
  const inTime = async (work: Promise<unknown>, timeoutMs: number): Promise<void> => {
    await withTimeout(work, timeoutMs).catch((error: unknown) => {
      throw new MailQueueUnavailable(causeOf(error).message, { cause: error });
    });
  };
  const inRedis = async (work: () => Promise<unknown>): Promise<void> => {
    if (!isReady()) throw new MailQueueUnavailable('Redis is away');
    await inTime(work(), addTimeoutMs);
  };
  return {
    bullQueue: queue,
    isReady,
    awaySince: () => awaySince,
    /** Within a second: a Redis that hangs is connected, but does not answer. */
    async isAnswering(): Promise<boolean> {
      if (!isReady()) return false;
      return withTimeout(redis.ping(), ANSWER_TIMEOUT_MS).then(
        () => true,
        () => false,
      );
    },
    /** @throws {MailQueueUnavailable} while Redis is down or hanging: the worker queues them later */
    queue: (...letters: OwedLetter[]): Promise<void> => inRedis(() => queueLetters(queue, letters)),
    /**
     * Each once; by default waits 150 ms for Redis, and a second for the register.
     * @throws {MailQueueUnavailable} while either is down or hanging: any letter may be recorded or queued
     */
    async add(...letters: OwedLetter[]): Promise<void> {
      await inTime(letterLog.owe(letters, now()), OWE_TIMEOUT_MS);
      await inRedis(() => queueLetters(queue, letters));
    },
    /** For a mail that is not recorded as sent; `waiting` also while Redis is unavailable. */
    async stateOf({ id }: OwedLetter): Promise<'waiting' | 'failed'> {
      if (!isReady()) return 'waiting';
      const state = withTimeout(queue.getJobState(id), addTimeoutMs);
      return (await state.catch(() => 'unknown')) === 'failed' ? 'failed' : 'waiting';
    },
    async close(): Promise<void> {
      await queue.close();
      redis.disconnect();
    },
  };
}

type NamedLetter = Pick<OwedLetter, 'kind' | 'id'> & { again?: boolean };

/** One that is on the queue already stays as it is. */
export async function queueLetters(queue: LetterQueue, letters: readonly NamedLetter[]): Promise<void> {
  await queue.addBulk(letters.map(jobOf));
}

export async function oweLetters(
  letters: readonly OwedLetter[],
  { queue, letterLog, now }: { queue: LetterQueue; letterLog: Pick<LetterLog, 'owe'>; now: Date },
): Promise<void> {
  if (letters.length === 0) return;
  await letterLog.owe(letters, now);
  await queueLetters(queue, letters);
}

const NOT_QUEUED: readonly (JobState | 'unknown')[] = ['unknown', 'completed'];

/** After a provider was away for long, there may be many: how many are asked for in one go. */
const LOOKED_FOR_AT_ONCE = 1_000;

/** Those owed for two minutes without a job; one that was sent is recorded so. Returns how many it queued. */
export async function requeueLost(
  queue: LetterQueue,
  letterLog: Pick<LetterLog, 'owedSince' | 'find' | 'markSent'>,
  now: Date,
): Promise<number> {
  const owed = await letterLog.owedSince(new Date(now.getTime() - LOST_AFTER_MS));
  let count = 0;
  for (let at = 0; at < owed.length; at += LOOKED_FOR_AT_ONCE) {
    const ids = owed.slice(at, at + LOOKED_FOR_AT_ONCE);
    const states = await Promise.all(ids.map((id) => queue.getJobState(id)));
    const found = await letterLog.find(
      ids.filter((_, index) => NOT_QUEUED.includes(states[index] ?? 'unknown')),
    );
    // Some may have been sent meanwhile.
    const lost: RecordedLetter[] = [];
    for (const letter of found.values()) {
      if (letter.state !== 'owed') continue;
      const job = await queue.getJob(letter.id);
      // The register is older than the letter. What it told of a charge is not known any more.
      if (job?.finishedOn !== undefined && !traitOf(letter.kind, 'announcesCharge')) {
        await letterLog.markSent(letter, new Date(job.finishedOn));
        continue;
      }
      await job?.remove();
      lost.push(letter);
    }
    await queueLetters(queue, lost);
    count += lost.length;
  }
  return count;
}

/** BullMQ takes jobs without a priority before jobs that have one, whatever was queued first. */
const AFTER_ALL_OTHERS = { priority: 1 };

/** Letters to everyone wait for those to one person, and so for a copy that somebody asked for. */
function jobOf({ kind, id, again }: NamedLetter) {
  const isLast = traitOf(kind, 'toAll') && !again;
  return {
    name: kind,
    data: null,
    opts: { ...MAIL_JOB_OPTIONS, ...(isLast && AFTER_ALL_OTHERS), jobId: id },
  };
}
