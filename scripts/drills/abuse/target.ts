import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { readMetrics } from '#scripts/drills/app-metrics.ts';
import { openProduct } from '#scripts/drills/open-product.ts';
import { noLimits } from '#scripts/product/environment.ts';
import type { Product } from '#scripts/product/product.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';

/**
 * Lets this process make the app collect its garbage, so that only memory that is still in use is measured.
 */
const COLLECTOR = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2',()=>gc())"];

/** Not the default password, which attacks try. */
const OPS_PASSWORD = 'ops-password';

/** The number of connections to Stripe and Redis changes by itself, and settles within this time. */
const SETTLE_MS = 60_000;
const INTERVAL_MS = 250;
const SPARE_FILES = 4;

/** What the app holds at rest. */
export interface Measurement {
  /** JavaScript's heap and the buffers beside it, after a collection. */
  heapMb: number;
  rssMb: number;
  /** Open files and sockets; undefined on a system without `/proc`. */
  files: number | undefined;
}

/** A running instance to attack, with a Redis and a payment sandbox of its own. */
export interface Target extends Product {
  /**
   * Measures the app. With an earlier measurement, it first waits, for a limited time, until no more files
   * are open than then.
   */
  measure(before?: Measurement): Promise<Measurement>;
}

/** Builds the product if need be and starts its app, with Redis's file in a folder. */
export async function openTarget(folder: string): Promise<Target> {
  await buildWhenStale('production', 'dist');
  const product = await openProduct({
    folder,
    sandbox: await startSandbox(),
    env: { ...noLimits, OPS_PASSWORD, ...mailEventsEnv() },
    nodeArgs: COLLECTOR,
  });
  return { ...product, measure: (before) => measureAtRest(product, before) };
}

/** Mail providers whose keys no attacker has. */
function mailEventsEnv() {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    MAIL_EVENTS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    MAIL_EVENTS_SENDGRID_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

async function measureAtRest(product: Product, before?: Measurement): Promise<Measurement> {
  const deadline = Date.now() + SETTLE_MS;
  const mostFiles = (before?.files ?? Number.POSITIVE_INFINITY) + SPARE_FILES;
  while (Date.now() < deadline && ((await openFiles(product)) ?? 0) > mostFiles) await delay(INTERVAL_MS);
  if (product.app.pid !== undefined) process.kill(product.app.pid, 'SIGUSR2');
  const files = await openFiles(product);
  const metrics = await readMetrics(product.opsUrl, OPS_PASSWORD);
  return {
    heapMb: (metrics('nodejs_heap_size_used_bytes') + metrics('nodejs_external_memory_bytes')) / 1e6,
    rssMb: metrics('process_resident_memory_bytes') / 1e6,
    files,
  };
}

async function openFiles({ app }: Product): Promise<number | undefined> {
  const files = await readdir(`/proc/${app.pid}/fd`).catch(() => undefined);
  return files?.length;
}
