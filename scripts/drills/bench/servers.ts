import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { memoryMb, readMetrics, readProc } from '#scripts/drills/watch.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { nodeOptions, prepareProduct } from '#scripts/product/product.ts';
import { contactOf } from '#scripts/world/people.ts';
import { brotli } from '#server/http/representation.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import { type Figures, median } from './budgets.ts';

/** The product, beside a slow payment sandbox, a mail server, and the server that it is compared with. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Builds the product if need be, and starts it. What it starts ends with `stopChildren`, or with this process. */
export async function setStage(folder: string) {
  await buildWhenStale('production', 'dist');
  const { url: stripeUrl, smtpUrl = '' } = await startBeside();
  const product = await prepareProduct({
    folder,
    sandbox: { url: stripeUrl },
    mailServer: { url: smtpUrl },
    env: { ...noLimits, MAIL_PER_SECOND: '1000' },
  });
  await product.start();
  const file = join(folder, 'page.br');
  await writeFile(file, await brotli(Buffer.from(await (await fetch(product.siteUrl)).arrayBuffer())));
  const bare = await startBeside(file, stripeUrl);
  return { ...product, bare };
}

const addressSchema = v.object({ url: v.string(), smtpUrl: v.exactOptional(v.string()) });

/**
 * Starts `beside.ts` in a process of its own, which ends with this one. Resolves with its first message, which says where it
 * listens.
 */
async function startBeside(...args: readonly string[]) {
  const program = fileURLToPath(new URL('beside.ts', import.meta.url));
  const child = fork(program, args, { execArgv: ['--import', 'tsx', ...nodeOptions] });
  const early = once(child, 'exit').then(() => Promise.reject(new Error(`beside.ts ${args} has ended`)));
  const [message] = await Promise.race([once(child, 'message'), early]);
  return { ...v.parse(addressSchema, message), pid: child.pid };
}

/** Requests that some connections make, each as soon as it has its answer. */
interface Load {
  url: string;
  connections: number;
  each: number;
  /** Between the first requests of two connections, so that they do not all ask at the same moments. */
  apartMs?: number;
  request: () => RequestInit;
}

/** What a load cost. */
type Round = Awaited<ReturnType<typeof measureLoad>>;

/**
 * Makes a load, and measures what it costs a process.
 * @throws {Error} when an answer is not 200
 */
async function measureLoad(load: Load, pid: number | undefined) {
  const { connections, apartMs = 0 } = load;
  const beforeMs = cpuTimeMs(pid);
  const timings = await Promise.all(
    Array.from({ length: connections }, async (_, place) => {
      await pause(place * apartMs);
      return askInTurn(load);
    }),
  );
  return {
    /** Of the process that served it, for all requests. */
    cpuMs: cpuTimeMs(pid) - beforeMs,
    /** The time until an answer was complete, in milliseconds; the first of each, which opens a connection, left out. */
    p99: quantile(timings.flat(), 0.99),
  };
}

async function askInTurn({ url, each, request }: Load): Promise<number[]> {
  const timings: number[] = [];
  while (timings.length < each) {
    const startMs = performance.now();
    const answer = await fetch(url, request());
    await answer.arrayBuffer();
    timings.push(performance.now() - startMs);
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  }
  return timings.slice(1);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/** Linux counts CPU time in hundredths of a second on every platform where Node runs. */
const TICK_MS = 10;

/** CPU time that a process has used; not a number where /proc is missing. */
function cpuTimeMs(pid: number | undefined): number {
  const fields = readProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const ROUNDS = 5;
const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** Measures a load on the bare server and on the site by turns, so that a disturbance falls on both. */
async function byTurns(
  { siteUrl, app, bare }: Stage,
  path: string,
  load: Omit<Load, 'url'>,
  rounds = ROUNDS,
) {
  const measureBare = () => measureLoad({ ...load, url: new URL(path, bare.url).href }, bare.pid);
  const measureSite = () => measureLoad({ ...load, url: new URL(path, siteUrl).href }, app.pid);
  const all: { bare: Round; site: Round }[] = [];
  // The first round warms both up.
  for (let round = 0; round <= rounds; round += 1)
    all.push({ bare: await measureBare(), site: await measureSite() });
  return all.slice(1);
}

type Rounds = Awaited<ReturnType<typeof byTurns>>;

function cpuMs(rounds: Rounds, of: 'bare' | 'site'): number {
  return rounds.reduce((sum, { [of]: { cpuMs } }) => sum + cpuMs, 0);
}

const VIEWS = { connections: 32, each: 100, request: () => ({ headers: BROTLI }) };

/** A view of the page, from memory. */
export async function measurePage(stage: Stage): Promise<Figures<'page'>> {
  const rounds = await byTurns(stage, '/', VIEWS);
  return { page: cpuMs(rounds, 'bare') / cpuMs(rounds, 'site') };
}

let visitors = 0;

/** A request of a visitor who was never there before. */
function newRegistration() {
  visitors += 1;
  const details = { ...contactOf(visitors), package: facts.retreatPackage.id, timeZone: 'America/Chicago' };
  const key = randomBytes(16).toString('hex');
  const headers = { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key };
  return { method: 'POST' as const, headers, body: JSON.stringify(details) };
}

/**
 * About twenty answers a second: forty times what the site admits by default. At a much higher rate, the figures would
 * be those of the queue for the processor, which all processes here share.
 */
const AT_ONCE = { connections: 6, apartMs: 50 };

type OfRegistration = 'registration' | 'registration-cpu' | 'letters-cpu' | 'stripe-calls';

/** Registrations that are begun, with their two letters. */
export async function measureRegistrations(stage: Stage): Promise<Figures<OfRegistration>> {
  const { app, worker } = stage;
  const load = { ...AT_ONCE, each: 16, request: newRegistration };
  await byTurns(stage, CREATE_PAYMENT_PATH, load, 0);
  await untilSent(stage);
  const calls = () => sumOf('stripe_call_duration_seconds_count', app.opsUrl, worker.opsUrl);
  const before = { calls: await calls(), workerMs: cpuTimeMs(worker.pid) };
  const rounds = await byTurns(stage, CREATE_PAYMENT_PATH, load);
  await untilSent(stage);
  // `byTurns` begins with a round that it does not count.
  const made = load.connections * load.each * (ROUNDS + 1);
  const bareMs = cpuMs(rounds, 'bare');
  return {
    registration: median(rounds.map(({ site }) => site.p99)) - median(rounds.map(({ bare }) => bare.p99)),
    'registration-cpu': cpuMs(rounds, 'site') / bareMs,
    'letters-cpu':
      ((cpuTimeMs(worker.pid) - before.workerMs) / made / bareMs) * load.connections * load.each * ROUNDS,
    'stripe-calls': ((await calls()) - before.calls) / made,
  };
}

/** Waits until each registration's two letters are sent. */
async function untilSent({ app, worker }: Stage): Promise<void> {
  const begun = () =>
    sumOf('http_request_duration_seconds_count{route="registration",status="200"}', app.opsUrl);
  while ((await sumOf('mail_sent_total', worker.opsUrl)) < 2 * (await begun())) await pause(100);
}

async function sumOf(metric: string, ...opsUrls: readonly string[]): Promise<number> {
  const processes = await Promise.all(opsUrls.map((url) => readMetrics(url)));
  return processes.reduce((sum, read) => sum + read(metric), 0);
}

const STARTS = 3;
const POLL_MS = 5;

/** From an app's start to its first registration answered, Stripe's two answers included. */
export async function measureStart({ app, siteUrl }: Stage): Promise<Figures<'start'>> {
  const times: number[] = [];
  const url = new URL(CREATE_PAYMENT_PATH, siteUrl);
  const registered = async (startMs: number): Promise<number> => {
    // Nothing else is asked for: rendering and compressing the page would delay the registration.
    for (;;) {
      const answer = await fetch(url, newRegistration()).catch(() => undefined);
      if (answer?.ok) return performance.now() - startMs;
      if (answer) throw new Error(`The first registration was answered with ${answer.status}`);
      await pause(POLL_MS);
    }
  };
  for (let round = 0; round < STARTS; round += 1) {
    await app.stop();
    times.push((await Promise.all([registered(performance.now()), app.start()]))[0]);
  }
  return { start: median(times) };
}

/** Of processes that have served views, registrations and letters. */
export async function measureMemory(stage: Stage): Promise<Figures<'app-memory' | 'worker-memory'>> {
  const { siteUrl, app, worker } = stage;
  await measureLoad({ ...VIEWS, url: siteUrl }, app.pid);
  const url = new URL(CREATE_PAYMENT_PATH, siteUrl).href;
  await measureLoad({ ...AT_ONCE, each: 30, url, request: newRegistration }, app.pid);
  await untilSent(stage);
  return { 'app-memory': memoryMb(app.pid, 'VmRSS'), 'worker-memory': memoryMb(worker.pid, 'VmRSS') };
}
