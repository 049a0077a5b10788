import * as v from 'valibot';
import { text, url } from './environment-values.ts';

/** One server of Redis, or a sentinel. */
export interface RedisAddress {
  host: string;
  port: number;
}

/** How a server lets a client in. */
export interface RedisAccess {
  username?: string | undefined;
  password?: string | undefined;
  /** Present where connections are encrypted; certificates and key are PEM. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
}

/** How Redis is run, and how to get in. */
export type RedisSettings =
  | { kind: 'server'; url: string; access: RedisAccess }
  | {
      kind: 'sentinel';
      sentinels: readonly RedisAddress[];
      /** What the sentinels call the group of the master. */
      name: string;
      access: RedisAccess;
      sentinelAccess: RedisAccess;
    }
  | { kind: 'cluster'; nodes: readonly RedisAddress[]; access: RedisAccess };

/** The variables that say where Redis is; `.env.example` explains each. */
export const redisEntries = {
  REDIS_URL: url('the address of Redis, such as redis://redis:6379', 'redis:', 'rediss:'),
  REDIS_PASSWORD: v.optional(text('the password of Redis')),
};

/** What the variables say, once they are known to be right. */
export function redisSettingsOf(
  env: v.InferOutput<v.ObjectSchema<typeof redisEntries, undefined>>,
): RedisSettings {
  return { kind: 'server', url: env.REDIS_URL, access: {} };
}

/** One server that wants neither certificate nor more than its address says. */
export function redisAt(url: string): RedisSettings {
  return { kind: 'server', url, access: {} };
}
