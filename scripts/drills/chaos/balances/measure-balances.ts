import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { newRegistration } from '#scripts/drills/bench/measure-servers.ts';
import { type Row, table, verdictOf } from '#scripts/drills/report.ts';
import { startSideProcess } from '#scripts/drills/side-process.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { startMailServer } from '#scripts/product/mail-server.ts';
import { nodeOptions } from '#scripts/product/node-program.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';
import { connect } from '#scripts/stripe-sandbox/sandbox.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { prepareBalances } from './prepare-balances.ts';

const STRIPE = new URL('./stripe-process.ts', import.meta.url);

const ROUND_S = 20;
const WARM_UP_S = 2;
const QUIET_ROUNDS = 3;
const PAGES_PER_SECOND = 20;
const REGISTRATIONS_PER_SECOND = 2;
const DAY_MS = 24 * 60 * 60 * 1000;

const BUDGET_S_PER_THOUSAND = 360;
const BUDGET_ADDED_MS = 5;

interface MeasureOptions {
  balances: number;
  folder: string;
  say: (sentence: string) => void;
}

/** Answer times of visitors, in milliseconds. */
interface Times {
  page: number[];
  registration: number[];
}

/**
 * Charges balances that are all due in one minute while visitors come, with a slow Stripe, and compares how
 * fast visitors are answered then with how fast they are answered before and after.
 */
export async function measureBalances({ balances, folder, say }: MeasureOptions) {
  await buildWhenStale('production', 'dist');
  const stripeProcess = await startSideProcess(STRIPE, nodeOptions);
  const mails = await startMailServer({ discards: true });
  const product = await prepareProduct({
    build: 'dist',
    redisFolder: join(folder, 'redis'),
    stripeUrl: stripeProcess.url,
    smtpUrl: mails.url,
    env: { ...noLimits, NODE_ENV: 'development', CLOCK: 'sandbox' },
  });
  stripeProcess.tell({ webhookUrl: `${product.siteUrl}${WEBHOOK_PATH}` });
  try {
    const { hostname: host, port } = new URL(stripeProcess.url);
    say(`Preparing ${balances} balances …`);
    await prepareBalances(balances, connect({ host, port: Number(port) }));
    for (const service of [product.redis, product.worker, product.app]) await service.start();
    await moveTo(stripeProcess.url, Date.parse(facts.balance.reminderAt) - DAY_MS);
    const quiet = { page: [], registration: [] };
    const busy = { page: [], registration: [] };
    const calm = (rounds: number) => visitFor(product, quiet, () => --rounds < 0);
    say('Visitors alone …');
    await calm(QUIET_ROUNDS);
    say('The balances are due …');
    const startMs = performance.now();
    let seconds = Number.NaN;
    await Promise.all([
      visitFor(product, busy, () => !Number.isNaN(seconds)),
      (async () => {
        await moveTo(stripeProcess.url, Date.parse(facts.balance.chargeAt));
        await untilCharged(product, balances);
        seconds = (performance.now() - startMs) / 1000;
      })(),
    ]);
    say('Visitors alone once more …');
    await calm(QUIET_ROUNDS);
    return reportOf({ balances, seconds, quiet, busy });
  } finally {
    await product.close();
    await stripeProcess.close();
    await mails.close();
  }
}

async function moveTo(stripeUrl: string, at: number): Promise<void> {
  const body = new URLSearchParams({ to: new Date(at).toISOString() });
  await fetch(new URL('/sandbox/clock', stripeUrl), { method: 'POST', body, redirect: 'manual' });
}

/** Counts by the worker's log. */
async function untilCharged({ lines }: Product, balances: number): Promise<void> {
  let charged = 0;
  for (let read = 0; charged < balances; await pause(100)) {
    for (; read < lines.length; read += 1) if (lines[read]?.includes('"msg":"Balance charged"')) charged += 1;
  }
}

/** Runs rounds of visitors until `isEnough`; a round that has begun is finished. */
async function visitFor({ siteUrl }: Product, times: Times, isEnough: () => boolean): Promise<void> {
  const registrations = new URL(CREATE_PAYMENT_PATH, siteUrl).href;
  while (!isEnough()) {
    const [pages, registered] = await Promise.all([
      arrive(PAGES_PER_SECOND, () => fetch(siteUrl)),
      arrive(REGISTRATIONS_PER_SECOND, () => fetch(registrations, newRegistration())),
    ]);
    times.page.push(...pages);
    times.registration.push(...registered);
  }
}

/** Lets visitors come at an even pace, however long answers take; gives the times of all but the first ones. */
async function arrive(perSecond: number, ask: () => Promise<Response>): Promise<number[]> {
  const visits = Array.from({ length: ROUND_S * perSecond }, async (_, place) => {
    await pause((place * 1000) / perSecond);
    const startMs = performance.now();
    const answer = await ask();
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${answer.url} was answered with ${answer.status}`);
    return performance.now() - startMs;
  });
  return (await Promise.all(visits)).slice(WARM_UP_S * perSecond);
}

interface Measured {
  balances: number;
  seconds: number;
  quiet: Times;
  busy: Times;
}

function reportOf({ balances, seconds, quiet, busy }: Measured) {
  const added = p99(busy.page) - p99(quiet.page);
  const budgetS = Math.max(60, (balances / 1000) * BUDGET_S_PER_THOUSAND);
  const problems = [
    ...(seconds > budgetS ? [`it took more than ${budgetS} s`] : []),
    ...(added > BUDGET_ADDED_MS ? [`the page's p99 grew by more than ${BUDGET_ADDED_MS} ms`] : []),
  ];
  const row = (name: string, one: readonly number[], other: readonly number[]): Row => [
    name,
    ...[one, other].flatMap((times) => [at(times, 0.5).toFixed(1), p99(times).toFixed(1), times.length]),
  ];
  const rows: Row[] = [
    ['ms', 'p50', 'p99', 'visits', 'p50', 'p99', 'visits'],
    row('page', quiet.page, busy.page),
    row('registration, 300 ms a call', quiet.registration, busy.registration),
  ];
  const head = `${balances} balances were charged in ${seconds.toFixed(0)} s. Visitors without it, and meanwhile:`;
  return { problems, logLines: [], report: [head, '', table(rows), verdictOf(problems)].join('\n') };
}

const p99 = (times: readonly number[]): number => at(times, 0.99);

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
