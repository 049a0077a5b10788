import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { connectRaw } from '#server/testing/raw-client.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import type { Attack, Kind } from './attack.ts';
import { bodyAttacks } from './body-attacks.ts';
import { type Answer, judgeAnswer, judgeSite } from './judge.ts';
import { requestAttacks } from './request-attacks.ts';
import { firstSieges, type Siege, sieges, slowSieges, somebody } from './sieges.ts';
import { type Measurement, measure, noteTold, openSite, type Site, send } from './site.ts';

/** All kinds of hostile requests. */
export const KINDS: readonly Kind[] = [...requestAttacks, ...bodyAttacks];

/** Attackers at the same time. */
const ATTACKERS = 32;
/** Requests of each kind before the first measurement, so that all code is compiled and all caches are filled. */
const WARM_UP = 20;
/** Only so that nothing hangs. */
const TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** How often each outcome came, by the kind of request. */
type Tally = Map<string, Map<Answer['outcome'], number>>;

/** What came of a run. */
export interface AbuseResult {
  tally: Tally;
  /** What came of the sieges, by their names. */
  sieges: Map<string, string>;
  /** What the app held after the warm-up, after the sieges, and after all. */
  rests: readonly Measurement[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Attacks a site of its own, and judges what came back and what it cost. */
export async function runAbuse({
  requests,
  seed,
  folder,
  say,
}: DrillRun & { requests: number }): Promise<AbuseResult> {
  say('Building and starting the site …');
  const site = await openSite(folder);
  try {
    const tally: Tally = new Map();
    const told = new Map<string, string>();
    const problems: string[] = [];
    const lay = async ({ name, lay }: Siege): Promise<void> => {
      const outcome = await lay(site).catch((error: Error) => {
        problems.push(`${name}: ${error.message.split('\n')[0]}`);
        return 'WORKED';
      });
      told.set(name, outcome);
    };
    const warmUp = drawShots(WARM_UP, seed);
    const shots = drawShots(Math.ceil(requests / KINDS.length), seed + 1);
    const fresh = await measure(site);
    problems.push(...(await fireAll(warmUp, site, tally)));
    const ending = new AbortController();
    const watch = watchPage(site.siteUrl, ending.signal);
    say(`${firstSieges.length + sieges.length} sieges …`);
    for (const siege of firstSieges) await lay(siege);
    const warm = await measure(site, fresh);
    for (const siege of sieges) await lay(siege);
    const besieged = await measure(site, warm);
    say(`${shots.length} requests of ${KINDS.length} kinds, beside slow clients …`);
    const slowly = slowSieges.map(lay);
    problems.push(...(await fireAll(shots, site, tally)));
    await Promise.all(slowly);
    ending.abort();
    const pageFailures = await watch;
    problems.push(...(await registerAfterAll(site)));
    say('Waiting until the app rests …');
    const rests = [warm, besieged, await measure(site, besieged)] as const;
    problems.push(...(await judgeSite(site, { pageFailures, rests })));
    return { tally, sieges: told, rests, problems };
  } finally {
    await site.close();
  }
}

/** `each` requests of every kind, in turn: one of each kind, then the next of each. */
export function drawShots(each: number, seed: number): { kind: Kind; attack: Attack }[] {
  const drawn = KINDS.map((kind) =>
    fc.sample(kind.sends, { numRuns: each, seed }).map((attack) => ({ kind, attack })),
  );
  return Array.from({ length: each }, (_, place) => drawn.flatMap((shots) => shots[place] ?? [])).flat();
}

/** Fires with several attackers in parallel, and returns what was wrong. */
async function fireAll(shots: ReturnType<typeof drawShots>, site: Site, tally: Tally): Promise<string[]> {
  const problems: string[] = [];
  const queue = shots.values();
  const attackOn = async (): Promise<void> => {
    for (const { kind, attack } of queue) {
      const answer = await sendAttack(kind.to === 'ops' ? site.opsUrl : site.siteUrl, attack);
      noteTold(site, answer.text);
      const outcomes = tally.get(kind.name) ?? new Map();
      tally.set(kind.name, outcomes.set(answer.outcome, (outcomes.get(answer.outcome) ?? 0) + 1));
      const problem = judgeAnswer(kind, attack, answer);
      if (problem) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: ATTACKERS }, attackOn));
  return problems;
}

/** Sends one hostile request over a connection of its own. */
async function sendAttack(url: string, { bytes, ending }: Attack): Promise<Answer> {
  const client = await connectRaw(url);
  const { socket } = client;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, TIMEOUT_MS);
  client.send(bytes);
  if (ending === 'hangs-up') socket.destroySoon();
  if (ending === 'stops-sending') socket.end();
  const { status, text } = await client.closed();
  clearTimeout(timer);
  return { outcome: isLate ? 'no answer' : (status ?? 'closed'), text };
}

/** Opens the page again and again until it is told to end; returns why it was not served, each time. */
async function watchPage(siteUrl: string, ending: AbortSignal): Promise<string[]> {
  const failures: string[] = [];
  while (!ending.aborted) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const came = await fetch(siteUrl, { headers: { Connection: 'close' }, signal })
      .then(async (page) => `${page.status} ${(await page.text()).endsWith('</html>') ? 'whole' : 'torn'}`)
      .catch((error: Error) => String(error.cause ?? error));
    if (came !== '200 whole') failures.push(came);
    await delay(LOOK_EVERY_MS);
  }
  return failures;
}

/** Whoever comes after the attacks registers, and is sent her letter, behind all that were queued before hers. */
async function registerAfterAll(site: Site): Promise<string[]> {
  const details = somebody();
  const { status } = await send(site, CREATE_PAYMENT_PATH, details);
  if (status !== 200) return [`After the attacks a registration got ${status}`];
  const { mails, events } = site.mailServer;
  const inTime = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    while (!mails.some(({ recipients }) => recipients.includes(details.email)))
      await once(events, 'mail', inTime);
    return [];
  } catch {
    return [`After the attacks ${details.email} got no letter`];
  }
}
