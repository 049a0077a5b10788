import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { readMetrics } from '#scripts/drills/app-metrics.ts';
import { startMailServer } from '#scripts/product/mail-server.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { connect, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';

/** Lets this process make the app collect its garbage, so that only memory that is still in use is measured. */
const COLLECTOR = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2',()=>gc())"];

/** The number of connections to Stripe and Redis changes by itself, and settles within this time. */
const SETTLE_MS = 60_000;
const INTERVAL_MS = 250;

/** How many more files than before may be open. */
export const SPARE_FILES = 4;

/** What the app holds at rest. */
export interface Measurement {
  /** JavaScript's heap and the buffers beside it, after a collection. */
  heapMb: number;
  rssMb: number;
  /** Open files and sockets; undefined on a system without `/proc`. */
  files: number | undefined;
}

/** A running site behind one proxy, whose limits for one visitor are the default ones. */
export type Site = Awaited<ReturnType<typeof openSite>>;

/** Builds the product if need be, and starts it. */
export async function openSite(folder: string) {
  await buildWhenStale('production', 'dist');
  const mailServer = await startMailServer();
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const sandbox = await startSandbox();
  const product = await prepareProduct({
    folder,
    sandbox,
    mailServer,
    env: {
      TRUST_PROXY: '1',
      RATE_LIMIT_OVERALL: '100000',
      MAIL_PER_SECOND: '200',
      // Mail providers whose keys no attacker has.
      MAIL_EVENTS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      MAIL_EVENTS_SENDGRID_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
    nodeArgs: COLLECTOR,
  });
  await product.start();
  /** The payments of which an answer has told a visitor. */
  const told = new Set<string>();
  /** The addresses that registrations had, also for a while. */
  const typed = new Set<string>();
  return { ...product, stripe: connect(sandbox), mailServer, told, typed };
}

/** Notes the payments that an answer tells of. */
export function noteTold({ told }: Pick<Site, 'told'>, answer: string): void {
  for (const [, payment = ''] of answer.matchAll(/(pi_\w+)_secret_/g)) told.add(payment);
}

/**
 * Measures the app at rest. With an earlier measurement, it first waits, for a limited time, until hardly more files
 * are open than then.
 */
export async function measure({ app, opsUrl }: Site, before?: Measurement): Promise<Measurement> {
  const openFiles = async () => (await readdir(`/proc/${app.pid}/fd`).catch(() => undefined))?.length;
  const deadline = Date.now() + SETTLE_MS;
  const mostFiles = (before?.files ?? Number.POSITIVE_INFINITY) + SPARE_FILES;
  while (Date.now() < deadline && ((await openFiles()) ?? 0) > mostFiles) await delay(INTERVAL_MS);
  if (app.pid !== undefined) process.kill(app.pid, 'SIGUSR2');
  const files = await openFiles();
  const metrics = await readMetrics(opsUrl);
  return {
    heapMb: (metrics('nodejs_heap_size_used_bytes') + metrics('nodejs_external_memory_bytes')) / 1e6,
    rssMb: metrics('process_resident_memory_bytes') / 1e6,
    files,
  };
}

/** The most memory that the app has taken so far; 0 on a system without `/proc`. */
export async function mostMemoryMb({ app }: Site): Promise<number> {
  const status = await readFile(`/proc/${app.pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_000;
}
