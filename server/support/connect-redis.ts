import { Refusal } from '#server/acts/refusal.ts';
import { readEnvironment } from '#server/config/read-environment.ts';
import {
  type RedisSettings,
  redisProblems,
  redisSchema,
  redisSettingsOf,
} from '#server/config/redis-settings.ts';
import { nameOf, openRedis } from '#server/redis/open-redis.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { TimeoutError, withTimeout } from '#server/service/with-timeout.ts';

/** How long each server, or sentinel, may take to accept a connection, and then to answer each command. */
const TIMEOUT_MS = 2_000;

/** How long disconnecting may take; no command is in flight by then. */
const DISCONNECT_TIMEOUT_MS = 100;

/** @throws {Refusal} when the environment does not say where Redis is */
export function readRedisSettings(env: NodeJS.ProcessEnv): RedisSettings {
  const { given, output, problems } = readEnvironment(redisSchema, env);
  problems.push(...redisProblems(given));
  if (!output || problems.length > 0) throw new Refusal('failed', `${problems.join('.\n')}.`);
  return redisSettingsOf(output);
}

/**
 * Does some work with a connection that never waits for a Redis that is unavailable or hangs.
 * @throws {Refusal} when Redis is unavailable, or becomes unavailable during the work
 */
export async function withRedis<Result>(
  settings: RedisSettings,
  work: (redis: RedisClient) => Promise<Result>,
): Promise<Result> {
  const redis = openRedis(settings, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: unknown;
  redis.on('error', (error) => {
    problem = error;
  });
  try {
    const gone = untilClosed(redis);
    await withTimeout(Promise.race([redis.connect(), gone]), TIMEOUT_MS * mostAsked(settings));
    return await Promise.race([work(redis), gone]);
  } catch (error) {
    if (error instanceof Refusal || (redis.status === 'ready' && !wasTooLate(error))) throw error;
    throw away(settings, problem ?? error);
  } finally {
    redis.disconnect();
  }
}

/** How many servers are contacted one after the other, when all except the last are unavailable. */
function mostAsked(settings: RedisSettings): number {
  if (settings.kind === 'server') return 1;
  return settings.kind === 'sentinel' ? settings.sentinels.length + 1 : settings.nodes.length;
}

async function untilClosed(redis: RedisClient): Promise<never> {
  await new Promise((resolve) => redis.once('close', resolve));
  throw new Error('the connection was lost');
}

function wasTooLate(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.message === 'Command timed out');
}

/** The error for an unavailable Redis, which it names without its password. */
function away(settings: RedisSettings, error: unknown): Refusal {
  const said = error instanceof Error ? error.message : String(error);
  const words = wasTooLate(error) ? `No answer within ${TIMEOUT_MS} ms` : said;
  return new Refusal('redisAway', `${nameOf(settings)} cannot be used: ${words.replace(/\.+$/, '')}.`, {
    cause: error,
  });
}
