import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '#scripts/build/build.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { startSandbox } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { TEST_KEYS } from '#scripts/stripe-sandbox/test-sandbox.ts';
import { type AppProcess, OPS, startApp } from './app-process.ts';

/** Lets this process ask the app to collect its garbage, so that what is left is what it keeps. */
const COLLECTOR = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2',()=>gc())"];

/** Connections to Stripe and Redis come and go by themselves, within this time. */
const SETTLE_MS = 12_000;
const INTERVAL_MS = 250;
const SPARE_FILES = 4;

/** What the app holds at rest. */
export interface Measurement {
  /** JavaScript's heap and the buffers beside it, after a collection. */
  heapMb: number;
  rssMb: number;
  /** Open files and sockets; undefined where the system does not tell. */
  files: number | undefined;
}

/** A running instance to attack, with a Redis and a payment sandbox of its own. */
export interface Target extends AppProcess {
  /** Measures it; given a measurement from before, once it holds no more files than then, or does not let go of them. */
  measure(before?: Measurement): Promise<Measurement>;
  close(): Promise<void>;
}

/** Builds the product into a folder and starts its app. */
export async function openTarget(folder: string): Promise<Target> {
  await build('production', join(folder, 'build'));
  const redisPort = await findFreePort();
  const redis = await startRedis({ port: redisPort, folder: join(folder, 'redis') });
  const sandbox = await startSandbox({ port: 0, ...TEST_KEYS });
  const app = await startApp({
    build: join(folder, 'build'),
    redisUrl: `redis://127.0.0.1:${redisPort}`,
    stripeUrl: sandbox.url,
    nodeArgs: COLLECTOR,
  });
  return {
    ...app,
    measure: (before) => measureAtRest(app, before),
    async close() {
      await app.child.stop();
      await sandbox.close();
      await redis.stop();
    },
  };
}

async function measureAtRest(app: AppProcess, before?: Measurement): Promise<Measurement> {
  const deadline = Date.now() + SETTLE_MS;
  const mostFiles = (before?.files ?? Number.POSITIVE_INFINITY) + SPARE_FILES;
  while (Date.now() < deadline && ((await openFiles(app)) ?? 0) > mostFiles) await delay(INTERVAL_MS);
  if (app.child.pid !== undefined) process.kill(app.child.pid, 'SIGUSR2');
  const files = await openFiles(app);
  const metrics = await readMetrics(app);
  return {
    heapMb: (metrics('nodejs_heap_size_used_bytes') + metrics('nodejs_external_memory_bytes')) / 1e6,
    rssMb: metrics('process_resident_memory_bytes') / 1e6,
    files,
  };
}

async function openFiles({ child }: AppProcess): Promise<number | undefined> {
  const files = await readdir(`/proc/${child.pid}/fd`).catch(() => undefined);
  return files?.length;
}

async function readMetrics({ opsUrl }: AppProcess): Promise<(name: string) => number> {
  const credentials = Buffer.from(`${OPS.user}:${OPS.password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, Connection: 'close' };
  const text = await (await fetch(`${opsUrl}/metrics`, { headers })).text();
  return (name) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}
