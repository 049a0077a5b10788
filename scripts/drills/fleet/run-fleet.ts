import { setTimeout as pause } from 'node:timers/promises';
import { postUntilAnswered } from '#client/registration/payment/http-client.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { perform } from '#scripts/drills/stage/lives.ts';
import { signIn } from '#scripts/drills/stage/office.ts';
import type { Send } from '#scripts/drills/stage/registering.ts';
import { openStage, type Stage } from '#scripts/drills/stage/stage.ts';
import type { Storm } from '#scripts/drills/stage/storm.ts';
import { lookAtPage, unexplained, watch } from '#scripts/drills/watch.ts';
import { type Service, until } from '#scripts/product/child.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { overlapping, spansIn, type WorkerEnd, type WorkSpan } from './spans.ts';

const MOST_VISITORS = 10_000;
/** The page's own timeout for a request. */
const TIMEOUT_MS = 60_000;
const WATCHERS = 4;
const OFFICE_EVERY_MS = 500;

const ASK_EVERY_MS = 300;
const AWAY_MS = 1_000;
const REDIS_AWAY_MS = 3_000;
const RECONNECT_MS = 3_000;
/**
 * Another worker picks up what a killed worker was doing once its lock has expired and this is noticed: ten seconds each. The rest
 * is for slow machines.
 */
const LONGEST_WAIT_MS = 120_000;

/**
 * Visitors seem to come through a second proxy in front of the one of `server/ops/proxy.md`, such as a CDN, which reports
 * their IP addresses: so each visitor has an address of her own.
 */
const TRUSTING = '\t\ttrusted_proxies 127.0.0.1/8\n\t\thealth_uri';
/** An app drains for twice the interval of the proxy's health check, plus a margin. */
const ENV = { RATE_LIMIT_PER_ADDRESS: '5', DRAIN_SECONDS: '3', TRUST_PROXY: '2' };
/** Long enough that the work of two workers could overlap, and that an app can be killed during a registration. */
const STRIPE_MS = 150;

interface FleetOptions extends DrillRun {
  apps: number;
  workers: number;
  /** How many are killed, in addition to the worker that does what is due; by default all. */
  kills?: { apps: number; workers: number };
  everyMs?: number;
}

/** Replaces and kills all processes while visitors come at a constant rate, and judges what happened to the visitors. */
export async function runFleet(options: FleetOptions) {
  const { apps, workers, kills = { apps, workers }, everyMs = 200, seed, folder, say } = options;
  const random = createRandom(seed);
  const visitors = drawVisitors(random, MOST_VISITORS);
  const verdict = new Verdict();
  say(`Starting ${apps} apps and ${workers} workers behind a proxy …`);
  const fleet = await openStage({
    folder,
    random,
    apps,
    workers,
    env: ENV,
    stripeMs: STRIPE_MS,
    proxy: { change: (config) => config.replaceAll('\t\thealth_uri', TRUSTING) },
  });
  const { siteUrl, webhooks } = fleet;
  const ends: WorkerEnd[] = [];
  const spans: WorkSpan[] = [];
  const seen = { pages: 0, office: 0 };
  await perform(fleet, [], verdict, async (lives, storm) => {
    const asking = setInterval(lives.quiet.askForDueWork, ASK_EVERY_MS);
    const over = new AbortController();
    const { signal } = over;
    const office = await signIn(siteUrl, `office.retreat.example:${new URL(siteUrl).port}`);
    const lookAtList = async (): Promise<string> => {
      const { status } = await office.open('');
      return status === 200 ? '' : String(status);
    };
    const sends = (place: number) => pressOnce(siteUrl, place);
    const crowd = [
      lives.arrive(visitors, everyMs, { random, sends, over: signal }),
      ...Array.from({ length: WATCHERS }, async () => {
        const { served, failures } = await watch(() => lookAtPage(siteUrl), everyMs, signal);
        seen.pages += served;
        verdict.problems.push(...failures.map(({ what }) => what));
      }),
      // Sessions are in Redis: while it is away, pages of the office answer 503.
      watch(lookAtList, OFFICE_EVERY_MS, signal).then(({ served, failures }) => {
        seen.office += served;
        const explains = { kinds: ['redis-killed'], aroundMs: RECONNECT_MS, what: '503' } as const;
        for (const what of unexplained(failures, storm.happened, explains))
          verdict.problems.push(`A page of the office was answered with ${what}`);
      }),
    ];
    try {
      await disturb(fleet, storm, kills, ends, say);
      await pause(RECONNECT_MS);
    } finally {
      over.abort();
      await Promise.all(crowd);
      clearInterval(asking);
    }
    spans.push(...spansIn(fleet.workers, ends));
    say('Nobody comes any more; waiting for the letters …');
    await lives.recover();
    await lives.loseRedis(storm.happened);
  });
  verdict.problems.push(...overlapping(spans), ...untaken(webhooks));
  const outcome = verdict.outcome([
    ['Pages', seen.pages],
    ['Pages of the office in one session', seen.office],
    ['Deliveries of events', webhooks.length],
    ['Due work', spans.length],
  ]);
  return { ...outcome, spans };
}

/**
 * One press of each button: the page's own retries do not count as presses. Each visitor has an IP address of her own, which
 * the outer proxy reports.
 */
const pressOnce =
  (siteUrl: string, number: number): Send =>
  async (path, json, headers = {}) => {
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const answer = await postUntilAnswered(`${siteUrl}${path}`, {
      headers: { ...headers, 'X-Forwarded-For': address },
      json,
      timeoutMs: TIMEOUT_MS,
    });
    return { answer, tries: 1 };
  };

/**
 * Replaces all apps and workers one after the other, then kills each of them, the worker that does what is due, and Redis, and starts
 * them again.
 */
async function disturb(
  fleet: Stage,
  storm: Storm,
  kills: { apps: number; workers: number },
  ends: WorkerEnd[],
  say: (sentence: string) => void,
): Promise<void> {
  const { apps, workers } = fleet;
  const replace = async (service: Service): Promise<void> => {
    await service.stop();
    ends.push({ worker: service, atMs: Date.now() });
    await service.start();
  };
  const how = { lastsMs: AWAY_MS, anywayAfterMs: LONGEST_WAIT_MS };
  const killWorker = async (service: Service, at?: 'mail'): Promise<void> => {
    await storm.strike('worker-killed', { ...how, service, ...(at && { at }) });
    // It was dead by then, and not started again yet.
    ends.push({ worker: service, atMs: (storm.happened.at(-1)?.fromMs ?? 0) + AWAY_MS / 2 });
  };
  say('Each app and each worker is replaced …');
  for (const service of [...apps, ...workers]) await replace(service);
  say('Apps are killed, while somebody registers …');
  for (const service of apps.slice(0, kills.apps))
    await storm.strike('app-killed', { ...how, service, at: 'register' });
  say('Workers are killed, while a letter is sent …');
  for (const service of workers.slice(0, kills.workers)) await killWorker(service, 'mail');
  say('The worker that does what is due is killed …');
  await killWorker(await workerBusy(fleet, ends));
  // Wait until another worker goes on with it.
  await workerBusy(fleet, ends);
  say('Redis is killed …');
  await storm.strike('redis-killed', { lastsMs: REDIS_AWAY_MS });
}

const workerBusy = ({ workers }: Stage, ends: readonly WorkerEnd[]): Promise<Service> =>
  until('a worker does what is due', async () => {
    const now = spansIn(workers, ends).find(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);
    return now && workers[now.worker];
  });

/** The events of Stripe that no app has accepted; Stripe repeats those that met a killed app, or an app without Redis. */
function untaken(lines: readonly string[]): string[] {
  const answers = new Map<string, string>();
  for (const line of lines) {
    const [, event, answer] = /^webhook (\S+ \S+) -> (.*?)(?: \(attempt \d+\))?$/.exec(line) ?? [];
    if (event && answer) answers.set(event, answer);
  }
  return [...answers].flatMap(([event, answer]) =>
    answer.startsWith('2') ? [] : [`${event} was not taken: ${answer}`],
  );
}
