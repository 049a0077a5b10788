import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Given } from './read-environment.ts';
import { REDIS_URL_HINT } from './redis-settings.ts';

/** The ways to run Redis: exactly one of these variables must be set. */
const WAYS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

/** Used with sentinels only. */
const OF_SENTINELS = ['REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'];
const OF_TLS = ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'];
/** In each pair, the first variable needs the second. */
const PAIRS = [
  ['REDIS_USERNAME', 'REDIS_PASSWORD'],
  ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'],
  ['REDIS_TLS_CERT', 'REDIS_TLS_KEY'],
  ['REDIS_TLS_KEY', 'REDIS_TLS_CERT'],
] as const;

/** Whether the environment says where Redis is, directly or in a file. */
export function saysWhereRedisIs(env: Given): boolean {
  return WAYS.some((name) => env[name] || env[`${name}_FILE`]);
}

/** Problems between the variables of Redis that are each valid by themselves: one sentence per problem. */
export function redisProblems(env: Given): string[] {
  return [...wayProblems(env), ...accessProblems(env), ...tlsProblems(env)];
}

function wayProblems(env: Given): string[] {
  const problems: string[] = [];
  const ways = WAYS.filter((name) => env[name]);
  if (ways.length === 0)
    problems.push(`REDIS_URL is missing: ${REDIS_URL_HINT}; or set REDIS_SENTINELS or REDIS_CLUSTER`);
  if (ways.length > 1)
    problems.push(`${ways.join(' and ')} are set: keep the one that says how Redis is run`);
  if (env.REDIS_SENTINELS && !env.REDIS_SENTINEL_NAME)
    problems.push('REDIS_SENTINEL_NAME is missing: what the sentinels call the master, such as mymaster');
  if (!env.REDIS_SENTINELS) problems.push(...unusedProblems(env, OF_SENTINELS, 'REDIS_SENTINELS'));
  return problems;
}

function accessProblems(env: Given): string[] {
  const problems = PAIRS.filter(([name, other]) => env[name] && !env[other]).map(
    ([name, other]) => `${other} is missing: ${name} needs it`,
  );
  const { username, password } = credentialsIn(env.REDIS_URL);
  for (const [name, inUrl] of [
    ['REDIS_USERNAME', username],
    ['REDIS_PASSWORD', password],
  ] as const) {
    if (inUrl && env[name] && env[name] !== inUrl)
      problems.push(`${name} is set, and REDIS_URL holds another one: keep it in one place`);
  }
  return problems;
}

function tlsProblems(env: Given): string[] {
  const isOn = env.REDIS_TLS === 'on';
  if (env.REDIS_URL && isOn)
    return ['REDIS_TLS is for sentinels and clusters: begin REDIS_URL with rediss://'];
  if (!isOn && !env.REDIS_URL?.startsWith('rediss:'))
    return unusedProblems(env, OF_TLS, 'TLS: begin REDIS_URL with rediss://, or set REDIS_TLS=on');
  return isKeyOfCertificate(env.REDIS_TLS_CERT, env.REDIS_TLS_KEY)
    ? []
    : ['REDIS_TLS_KEY is not the key of REDIS_TLS_CERT'];
}

function unusedProblems(env: Given, names: readonly string[], without: string): string[] {
  return names.filter((name) => env[name]).map((name) => `${name} has no effect without ${without}`);
}

function credentialsIn(url = ''): { username?: string; password?: string } {
  if (!URL.canParse(url)) return {};
  const { username, password } = new URL(url);
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // The check of the URL itself reports what cannot be decoded.
    return {};
  }
}

/** False only where both can be read; unreadable ones are reported by their own checks. */
function isKeyOfCertificate(cert: string | undefined, key: string | undefined): boolean {
  if (!cert || !key) return true;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return true;
  }
}
