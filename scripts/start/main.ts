import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import type { BuildMode } from '#scripts/build/bundles.ts';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { ContentProblems } from '#scripts/content/read.ts';
import { StartError, stopChildren } from '#scripts/product/child.ts';
import { registerIn } from '#scripts/product/environment.ts';
import { type Product, prepareProduct, redisIn } from '#scripts/product/product.ts';
import { ensureProgram, programs } from '#scripts/product/system-package.ts';
import { createProblemsPage } from './problems-page.ts';
import { copiesIn, LOOPBACK, productEnvironment, readSettings, requireFreePorts } from './settings.ts';
import { startStandIns } from './stand-ins.ts';
import { announce, linePrinter } from './terminal.ts';

const COMPILED = join('shared', 'content', 'compiled');

/** How long to wait after a change: editors write a file in several steps. */
const SETTLE_MS = 50;

/**
 * How long the worker may take to stop before it is killed: to stop gracefully, it would wait for the mails
 * in flight. The app, which would wait for the connections of a browser, is killed at once.
 */
const RESTART_TIMEOUT_MS = 100;

const printers = { app: linePrinter('app'), worker: linePrinter('worker') };
const development = process.argv[2] === 'dev';
let ending: Promise<void> | undefined;

endWithThisProcess();
await startEverything(development ? 'development' : 'production');

async function startEverything(mode: BuildMode): Promise<void> {
  try {
    const settings = readSettings(process.env);
    const { ports, dataFolder, buildFolder, needsRedis, needsSandbox } = settings;
    await requireFreePorts(settings);
    if (needsRedis) ensureProgram(programs.redis);
    if (needsSandbox) await removeRegister(resolve(dataFolder), needsRedis);
    const standIns = await startStandIns(settings);
    const product = await prepareProduct({
      ...standIns,
      ports,
      build: buildFolder,
      withoutRedis: !needsRedis,
      folder: resolve(dataFolder),
      env: (standard) => productEnvironment(mode, settings, standard),
      onLine: (name, line) => printers[name](line),
      onCrash,
    });
    const build = () => buildWhenStale(mode, buildFolder);
    await build();
    await product.start();
    if (development)
      await onChange(build, product, createProblemsPage(product.env.HOST ?? LOOPBACK, ports.PORT));
    announce(product.env, ports.OPS_PORT, [
      ...(needsRedis ? [{ label: `Redis (data in ${redisIn(dataFolder)})`, address: product.redisUrl }] : []),
      ...standIns.shown,
    ]);
  } catch (error) {
    if (!ending) console.error(explain(error));
    await end(1);
  }
}

/**
 * The sandbox begins without payments, so it starts with an empty register. What is kept outside of a register would hold
 * it: its copies, and the stand-in of Redis, begin anew too.
 */
async function removeRegister(folder: string, withRedis: boolean): Promise<void> {
  const file = fileURLToPath(registerIn(folder));
  const files = ['', '-wal', '-shm'].map((part) => `${file}${part}`);
  const outside = [copiesIn(folder), ...(withRedis ? [redisIn(folder)] : [])];
  for (const path of [...files, ...outside]) await rm(path, { force: true, recursive: true });
}

let workerRestarted = Promise.resolve();

/** The app first, because the developer looks at the page: the next change does not wait for the worker. */
async function restart({ app, worker }: Product): Promise<void> {
  await app.kill();
  await app.start();
  workerRestarted = workerRestarted.then(async () => {
    await worker.stop(RESTART_TIMEOUT_MS);
    await worker.start();
  });
}

/**
 * Builds and restarts whenever a source has changed, one after the other; what changes meanwhile is built next. If the
 * content is wrong, the site's address shows why until it is right; if the build fails for another reason, the product goes
 * on running as it was. Resolves once no change is missed.
 */
async function onChange(
  build: () => Promise<void>,
  product: Product,
  problemsPage: ReturnType<typeof createProblemsPage>,
): Promise<void> {
  const ignored = (path: string) => path.startsWith(COMPILED);
  const watcher = watch(['client', 'server', 'shared'], { ignored, ignoreInitial: true });
  await once(watcher, 'ready');
  const follow = async (): Promise<void> => {
    for (let change = once(watcher, 'all'); ; ) {
      await change;
      await delay(SETTLE_MS);
      change = once(watcher, 'all');
      try {
        await build();
        await problemsPage.close();
        await restart(product);
      } catch (error) {
        if (ending) return;
        console.error(explain(error));
        if (!(error instanceof ContentProblems)) continue;
        await product.app.kill();
        await problemsPage.show(error.problems);
      }
    }
  };
  void follow();
}

function onCrash(sentence: string): void {
  console.error(sentence);
  void end(1);
}

/** Leaves nothing running when this process is ended by a signal, its output is closed, or it fails. */
function endWithThisProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => end(1));
  for (const failure of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(failure, (error) => {
      // What is stopped while it starts fails to start.
      if (!ending) console.error(error);
      void end(1);
    });
  }
}

function end(exitCode: number): Promise<void> {
  ending ??= stopChildren().then(() => process.exit(exitCode));
  return ending;
}

/** One sentence for an error that the user can fix; the stack for any other. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof StartError) return error.cause.message;
  const isForUser = error instanceof StartError || error instanceof ContentProblems;
  return isForUser ? error.message : (error.stack ?? error.message);
}
