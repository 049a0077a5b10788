import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryMb, readMetrics } from '#scripts/drills/watch.ts';
import { sampleLinkSecret } from '#scripts/product/environment.ts';
import { connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { DAY_MS } from '#scripts/world/editions.ts';
import { contactOf } from '#scripts/world/people.ts';
import { createLinks } from '#server/registration/links.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import type { Figures } from './budgets.ts';
import { cpuTimeMs, type Load, measureLoad, median, quantile, type Round } from './load.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 5;
const POLL_MS = 5;
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

/** How much longer an answer of the site takes than one of the bare server, at p99 of all rounds together. */
function ownTime(rounds: Rounds): number {
  const p99 = (of: 'bare' | 'site') =>
    quantile(
      rounds.flatMap(({ [of]: { timings } }) => timings),
      0.99,
    );
  return p99('site') - p99('bare');
}

function cpuMs(rounds: Rounds, of: 'bare' | 'site'): number {
  return rounds.reduce((sum, { [of]: { cpuMs } }) => sum + cpuMs, 0);
}

const VIEWS = { connections: 32, each: 100, request: () => ({ headers: BROTLI }) };

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

type OfRegistration = 'registration' | 'registration-cpu' | 'letters-cpu';

/** Registrations that are begun, with their two letters. */
export async function measureRegistrations(stage: Stage): Promise<Figures<OfRegistration>> {
  const { worker } = stage;
  const load = { ...AT_ONCE, each: 16, request: newRegistration };
  await byTurns(stage, CREATE_PAYMENT_PATH, load, 0);
  await untilSent(stage);
  const beforeMs = cpuTimeMs(worker.pid);
  const rounds = await byTurns(stage, CREATE_PAYMENT_PATH, load);
  await untilSent(stage);
  // `byTurns` begins with a round that it does not count.
  const made = load.connections * load.each * (ROUNDS + 1);
  const bareMs = cpuMs(rounds, 'bare');
  return {
    registration: ownTime(rounds),
    'registration-cpu': cpuMs(rounds, 'site') / bareMs,
    'letters-cpu':
      ((cpuTimeMs(worker.pid) - beforeMs) / made / bareMs) * load.connections * load.each * ROUNDS,
  };
}

/** Waits until each registration's two letters are sent. */
async function untilSent({ app, worker }: Stage): Promise<void> {
  const begun = async () =>
    (await readMetrics(app.opsUrl))('http_request_duration_seconds_count{route="registration",status="200"}');
  const sent = async () => (await readMetrics(worker.opsUrl))('mail_sent_total');
  while ((await sent()) < 2 * (await begun())) await pause(100);
}

/** Enough pages that none of them is opened more often than the site allows. */
const PAGES = 60;

/** Pages of registrants who have paid their deposits, in turn. */
export async function measureOwnPages(stage: Stage): Promise<Figures<'own-page'>> {
  // One after another: an app that is asked for too many at once answers 503.
  const cookies: string[] = [];
  while (cookies.length < PAGES) cookies.push(await cookieOfPaid(stage));
  let asked = 0;
  const request = () => {
    asked += 1;
    return { headers: { ...BROTLI, cookie: cookies[asked % PAGES] ?? '' } };
  };
  return { 'own-page': ownTime(await byTurns(stage, OWN_PAGE_PATH, { ...AT_ONCE, each: 20, request })) };
}

/** Registers somebody who pays her deposit; gives the cookie that opens her page. */
async function cookieOfPaid({ siteUrl, stripeUrl }: Stage): Promise<string> {
  const answer = await (await fetch(new URL(CREATE_PAYMENT_PATH, siteUrl), newRegistration())).text();
  const [payment = ''] = /pi_[^_]+/.exec(answer) ?? [];
  const { hostname: host, port } = new URL(stripeUrl);
  const { paymentIntents, webhooks } = connect({ host, port: Number(port) });
  const paid = await paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
  const { registration = '' } = paid.metadata;
  // The sandbox here sends no events.
  const type = 'payment_intent.succeeded';
  const event = {
    id: `evt_${payment}`,
    object: 'event',
    type,
    created: paid.created,
    data: { object: paid },
  };
  const body = JSON.stringify(event);
  const secret = SANDBOX_KEYS.webhookSecret;
  const signature = webhooks.generateTestHeaderString({ payload: body, secret });
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
  const told = await fetch(new URL(WEBHOOK_PATH, siteUrl), { method: 'POST', headers, body });
  if (!told.ok) throw new Error(`The event of a payment was answered with ${told.status}`);
  const links = createLinks([sampleLinkSecret.LINK_SECRET], siteUrl);
  const expiresAt = new Date(Date.now() + DAY_MS);
  return `place=${links.format({ subject: registration, scope: 'session', expiresAt })}`;
}

const STARTS = 3;

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
