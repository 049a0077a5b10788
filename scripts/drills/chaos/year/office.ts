import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { sampleLinkSecret } from '#scripts/product/environment.ts';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import type { ActContext } from '#server/acts/act-context.ts';
import { Refusal } from '#server/acts/refusal.ts';
import { redisAt } from '#server/config/redis-settings.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { createPayments } from '#server/payments/payments.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/register/walk.ts';
import { readCommand } from '#server/support/commands.ts';
import { withRedis } from '#server/support/connect-redis.ts';
import type { YearStage } from './stage.ts';

const TIMEOUT_MS = 60_000;
const RETRY_MS = 1_000;

/**
 * Carries out one of support's commands, and retries until it works, as a person does. If a try succeeded but
 * its answer was lost, the next try is refused, which shows that the command is done.
 * @throws {Error} when the first try is refused, or the command is not done within a minute
 */
export async function command(words: readonly string[], stage: YearStage): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      await carryOut(words, stage);
      return;
    } catch (error) {
      const isDone = tries > 1 && error instanceof Refusal && error.reason === 'wrongState';
      if (isDone) return;
      const isFinal = error instanceof Refusal && error.reason !== 'failed' && error.reason !== 'redisAway';
      if (isFinal || Date.now() > deadline) throw new Error(`support ${words.join(' ')}`, { cause: error });
      await pause(RETRY_MS);
    }
  }
}

/** In this process: hundreds of commands would otherwise start hundreds of processes. */
function carryOut(words: readonly string[], { redisUrl, siteUrl, sandbox }: YearStage): Promise<string> {
  const work = readCommand(words);
  return withRedis(redisAt(redisUrl), async (redis) => {
    const queue = new Queue<unknown>(MAIL_QUEUE_NAME, {
      ...queueOn(redis),
      defaultJobOptions: MAIL_JOB_OPTIONS,
    });
    const walks = new Queue<null>(WALK_QUEUE_NAME, queueOn(redis));
    // The command that an error stops reports it.
    for (const each of [queue, walks]) each.on('error', () => {});
    const context: ActContext = {
      queue,
      redis,
      subjectOf: () => '',
      list: async () => [],
      readingOf: () => ({ subject: '', text: '' }),
      nameOf: (id) => id,
      openRecord: async () => createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url }),
      openLinks: async () => createPlaceLinks([sampleLinkSecret.LINK_SECRET], siteUrl),
      now: async () => new Date(sandbox.clock.now()),
      askForWalk: async () => void (await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS)),
    };
    return work((act) => act(context));
  });
}
