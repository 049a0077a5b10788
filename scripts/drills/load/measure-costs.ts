import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Load } from '#scripts/drills/bench/load.ts';
import { cpuTimeUs, makeLoad, residentMb } from '#scripts/drills/bench/rounds.ts';
import { median } from '#scripts/drills/drill.ts';
import { startSideProcess } from '#scripts/drills/side-process.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { callsTo, difference } from './stripe-calls.ts';

const STRIPE = new URL('../bench/stripe-process.ts', import.meta.url);
const MAIL_SINK = new URL('../mail-sink.ts', import.meta.url);
const ROUNDS = 3;
const PAGE_SECONDS = 3;
const REGISTRATION_SECONDS = 8;
const REGISTRATIONS_A_SECOND = 10;
const POLL_MS = 250;
const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** What one page view or registration costs, in milliseconds of CPU time; `redisCalls` counts commands. */
interface Cost {
  of: string;
  app: number;
  worker: number;
  redis: number;
  redisCalls: number;
  perSecond: number;
}

/** The costs with this many apps. */
export interface Costs {
  apps: number;
  costs: Cost[];
  /** For one registration, by process and operation. */
  stripeCalls: Record<string, number>;
  memoryMb: { app: number; worker: number; redis: number };
  /** What Redis holds after all that, for one registration: its letters, limits and notes. */
  redisBytes: { bytesPerRegistration: number };
}

/**
 * Measures the product with a number of apps, one worker and one Redis: medians of the CPU time of each
 * process.
 */
export async function measureCosts(apps: number, build: string, redisFolder: string): Promise<Costs> {
  const stripe = await startSideProcess(STRIPE);
  const mails = await startSideProcess(MAIL_SINK);
  const product = await prepareProduct({
    build,
    redisFolder: join(process.cwd(), redisFolder),
    stripeUrl: stripe.url,
    smtpUrl: mails.url,
    env: { ...noLimits, MAIL_PER_SECOND: '1000' },
  });
  await product.redis.start();
  await Promise.all([product.app.start(), product.worker.start()]);
  const others = await Promise.all(Array.from({ length: apps - 1 }, () => startAnother(build, product.env)));
  const sites = [product.siteUrl, ...others.map(({ url }) => url)];
  const appPids = [product.app.pid, ...others.map(({ pid }) => pid)];
  const redis = new Redis(product.redisUrl);
  const used = async () => ({
    app: sum(appPids.map(cpuTimeUs)),
    worker: cpuTimeUs(product.worker.pid),
    redis: cpuTimeUs(product.redis.pid),
    redisCalls: Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]),
  });
  /** The load is shared evenly, as by a proxy. */
  const round = async (of: string, load: Omit<Load, 'url'>, path: string): Promise<Cost> => {
    const before = await used();
    const results = await Promise.all(
      sites.map((site) => makeLoad({ ...load, url: new URL(path, site).href })),
    );
    await untilSent(redis);
    const after = await used();
    const requests = sum(results.map((result) => result.requests));
    const each = (name: 'app' | 'worker' | 'redis') => (after[name] - before[name]) / requests / 1000;
    return {
      of,
      ...{ app: each('app'), worker: each('worker'), redis: each('redis') },
      redisCalls: (after.redisCalls - before.redisCalls) / requests,
      perSecond: sum(results.map(({ perSecond }) => perSecond)),
    };
  };
  const view = { connections: 16, seconds: PAGE_SECONDS, headers: BROTLI };
  const register = {
    method: 'POST' as const,
    connections: 50,
    seconds: REGISTRATION_SECONDS,
    perSecond: REGISTRATIONS_A_SECOND / apps,
  };
  // The processes are cold at first.
  for (let number = 0; number < 2; number += 1) await round('warm-up', view, '/');
  await round('warm-up', register, CREATE_PAYMENT_PATH);
  const opsUrls = [product.opsUrl, ...others.map(({ opsUrl }) => opsUrl)];
  const callsBefore = await callsTo(opsUrls, product.worker.opsUrl);
  const bytesBefore = await usedBytes(redis);
  const views: Cost[] = [];
  const registrations: Cost[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    views.push(await round('page view', view, '/'));
    registrations.push(await round('registration begun', register, CREATE_PAYMENT_PATH));
  }
  const made = ROUNDS * REGISTRATION_SECONDS * REGISTRATIONS_A_SECOND;
  const stripeCalls = difference(await callsTo(opsUrls, product.worker.opsUrl), callsBefore, made);
  const bytesPerRegistration = ((await usedBytes(redis)) - bytesBefore) / made;
  const memoryMb = {
    app: residentMb(product.app.pid),
    worker: residentMb(product.worker.pid),
    redis: residentMb(product.redis.pid),
  };
  redis.disconnect();
  await Promise.all(others.map(({ stop }) => stop()));
  await product.close();
  await Promise.all([stripe.close(), mails.close()]);
  const costs = [medianOf(views), medianOf(registrations)].map(rounded);
  return { apps, costs, stripeCalls, memoryMb, redisBytes: { bytesPerRegistration } };
}

async function startAnother(build: string, env: NodeJS.ProcessEnv) {
  const [port, opsPort] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${port}`;
  const child = await startServer('app', {
    build,
    env: { ...env, PORT: String(port), PUBLIC_URL: url, OPS_PORT: String(opsPort) },
    onLine: () => {},
  });
  return { url, opsUrl: `http://127.0.0.1:${opsPort}`, pid: child.pid, stop: child.stop };
}

/** Waits until no letter is queued or being sent: letters are sent after the requests that caused them. */
async function untilSent(redis: Redis): Promise<void> {
  for (;;) {
    const names = await redis.keys('{bull}:*:wait');
    const active = await redis.keys('{bull}:*:active');
    const lengths = await Promise.all([...names, ...active].map((name) => redis.llen(name)));
    if (sum(lengths) === 0) return;
    await pause(POLL_MS);
  }
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

function medianOf(rounds: readonly Cost[]): Cost {
  const of = (name: Exclude<keyof Cost, 'of'>): number => median(rounds.map((round) => round[name]));
  return {
    of: rounds[0]?.of ?? '',
    ...{ app: of('app'), worker: of('worker'), redis: of('redis') },
    ...{ redisCalls: of('redisCalls'), perSecond: of('perSecond') },
  };
}

function rounded(cost: Cost): Cost {
  const short = (value: number): number => Number(value.toPrecision(3));
  const { of, app, worker, redis, redisCalls, perSecond } = cost;
  return {
    of,
    ...{ app: short(app), worker: short(worker), redis: short(redis) },
    ...{ redisCalls: short(redisCalls), perSecond: short(perSecond) },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
