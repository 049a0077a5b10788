import { Redis } from 'ioredis';
import * as v from 'valibot';
import { Refusal } from '#server/acts/refusal.ts';
import { readVariable } from '#server/config/secret-files.ts';
import { TimeoutError, withTimeout } from '#server/service/with-timeout.ts';

/** How long Redis may take to be there, and then to answer each command. */
const TIMEOUT_MS = 2_000;

/** How long it may take to part; nothing is under way by then. */
const DISCONNECT_TIMEOUT_MS = 100;

const PROTOCOLS = ['redis:', 'rediss:'];
const HINT = 'the address of Redis, such as redis://redis:6379';
const redisUrl = v.pipe(
  v.string(`REDIS_URL is missing: ${HINT}.`),
  v.nonEmpty(`REDIS_URL is missing: ${HINT}.`),
  v.check(
    (value) => URL.canParse(value) && PROTOCOLS.includes(new URL(value).protocol),
    `REDIS_URL must be ${HINT}.`,
  ),
);

/** @throws {Refusal} when the environment does not say where Redis is */
export function readRedisUrl(env: NodeJS.ProcessEnv): string {
  const result = v.safeParse(redisUrl, readVariable(env, 'REDIS_URL'));
  if (!result.success) throw new Refusal('failed', result.issues[0].message);
  return result.output;
}

/**
 * Does some work with a connection that never waits for a Redis that is away or hangs.
 * @throws {Refusal} when Redis is away, or goes away meanwhile
 */
export async function withRedis<Result>(
  url: string,
  work: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const redis = new Redis(url, {
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
    await withTimeout(Promise.race([redis.connect(), gone]), TIMEOUT_MS);
    return await Promise.race([work(redis), gone]);
  } catch (error) {
    if (error instanceof Refusal || (redis.status === 'ready' && !wasTooLate(error))) throw error;
    throw away(url, problem ?? error);
  } finally {
    redis.disconnect();
  }
}

async function untilClosed(redis: Redis): Promise<never> {
  await new Promise((resolve) => redis.once('close', resolve));
  throw new Error('the connection was lost');
}

function wasTooLate(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.message === 'Command timed out');
}

/** Names Redis without its password. */
function away(url: string, error: unknown): Refusal {
  const said = error instanceof Error ? error.message : String(error);
  const words = wasTooLate(error) ? `No answer within ${TIMEOUT_MS} ms` : said;
  return new Refusal(
    'redisAway',
    `Redis at ${new URL(url).host} cannot be used: ${words.replace(/\.+$/, '')}.`,
    { cause: error },
  );
}
