import { once } from 'node:events';
import fc from 'fast-check';
import { type DrillRun, type Row, table } from '#scripts/drills/drill.ts';
import { lookAtPage, watch } from '#scripts/drills/watch.ts';
import { connectRaw } from '#server/testing/raw-client.ts';
import { contactOf, JSON_TYPE, type Kind, post } from './attack.ts';
import { bodyAttacks } from './body-attacks.ts';
import { type Answer, judgeAnswer, judgeSite } from './judge.ts';
import { requestAttacks } from './request-attacks.ts';
import { firstSieges, sieges as laterSieges, type Siege } from './sieges.ts';
import { type Measurement, measure, noteTold, openSite, type Site } from './site.ts';
import { visitorSieges } from './visitor-sieges.ts';

/** All kinds of hostile requests. */
export const KINDS: readonly Kind[] = [...requestAttacks, ...bodyAttacks];

const sieges: readonly Siege[] = [...laterSieges, ...visitorSieges];
/** The names of all sieges. */
export const SIEGES: readonly string[] = [...firstSieges, ...sieges].map(({ name }) => name);

/** Attackers at the same time. */
const ATTACKERS = 32;
/** Requests of each kind before the first measurement, so that all code is compiled and all caches are filled. */
const WARM_UP = 20;
/** Only so that nothing hangs. */
const TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** How often each outcome came, by the kind of request. */
type Tally = Map<string, Map<Answer['outcome'], number>>;

/** Attacks a site of its own, and judges what came back and what it cost. */
export async function runAbuse({ requests, seed, folder, say }: DrillRun & { requests: number }) {
  say('Building and starting the site …');
  const site = await openSite(folder);
  try {
    const tally: Tally = new Map();
    /** What came of each siege. */
    const told = new Map<string, string>();
    const problems: string[] = [];
    const besiege = async ({ name, lay }: Siege): Promise<void> => {
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
    const watching = watch(() => lookAtPage(site.siteUrl), LOOK_EVERY_MS, ending.signal);
    say(`${firstSieges.length + sieges.length} sieges …`);
    for (const siege of firstSieges) await besiege(siege);
    const warm = await measure(site, fresh);
    for (const siege of sieges) await besiege(siege);
    const besieged = await measure(site, warm);
    say(`${shots.length} requests of ${KINDS.length} kinds …`);
    problems.push(...(await fireAll(shots, site, tally)));
    ending.abort();
    problems.push(...(await watching).failures.map(({ what }) => what));
    problems.push(...(await registerAfterAll(site)));
    say('Waiting until the app rests …');
    const rests = [warm, besieged, await measure(site, besieged)] as const;
    problems.push(...(await judgeSite(site, rests)));
    return { tally, sieges: told, problems, report: reportOf(tally, told, rests) };
  } finally {
    await site.close();
  }
}

/** `each` requests of every kind, in turn: one of each kind, then the next of each. */
export function drawShots(each: number, seed: number): { kind: Kind; bytes: Uint8Array }[] {
  const drawn = KINDS.map((kind) =>
    fc.sample(kind.sends, { numRuns: each, seed }).map((bytes) => ({ kind, bytes })),
  );
  return Array.from({ length: each }, (_, place) => drawn.flatMap((shots) => shots[place] ?? [])).flat();
}

/** Fires with several attackers in parallel, and returns what was wrong. */
async function fireAll(shots: ReturnType<typeof drawShots>, site: Site, tally: Tally): Promise<string[]> {
  const problems: string[] = [];
  const queue = shots.values();
  const attackOn = async (): Promise<void> => {
    for (const { kind, bytes } of queue) {
      const answer = await sendAttack(kind.to === 'ops' ? site.opsUrl : site.siteUrl, bytes);
      noteTold(site, answer.text);
      const outcomes = tally.get(kind.name) ?? new Map();
      tally.set(kind.name, outcomes.set(answer.outcome, (outcomes.get(answer.outcome) ?? 0) + 1));
      const problem = judgeAnswer(kind, bytes, answer);
      if (problem) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: ATTACKERS }, attackOn));
  return problems;
}

/** Sends one hostile request over a connection of its own. */
async function sendAttack(url: string, bytes: Uint8Array): Promise<Answer> {
  const client = await connectRaw(url);
  const { socket } = client;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, TIMEOUT_MS);
  client.send(bytes);
  const { status, text } = await client.closed();
  clearTimeout(timer);
  return { outcome: isLate ? 'no answer' : (status ?? 'closed'), text };
}

/** Whoever comes after the attacks registers, and is sent her letter, behind all that were queued before hers. */
async function registerAfterAll(site: Site): Promise<string[]> {
  const details = { ...contactOf('last'), firstName: 'Quillfeather', email: 'last@visitors.example' };
  const answer = await sendAttack(site.siteUrl, post(JSON.stringify(details), [JSON_TYPE]));
  noteTold(site, answer.text);
  if (answer.outcome !== 200) return [`After the attacks a registration got ${answer.outcome}`];
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

/** What came back by kind and siege, and what the app held at rest: after the warm-up, the sieges, and all. */
function reportOf(tally: Tally, told: ReadonlyMap<string, string>, rests: readonly Measurement[]): string {
  const outcomes = [...tally].map(([kind, counts]): Row => {
    return [kind, [...counts].map(([outcome, times]) => `${outcome} × ${times}`).join(', ')];
  });
  const held = rests.map(
    (rest): Row => ['', rest.heapMb.toFixed(1), rest.rssMb.toFixed(1), rest.files ?? ''],
  );
  const head: Row = ['At rest', 'heap MB', 'memory MB', 'files'];
  return [table([...outcomes, ...told]), table([head, ...held])].join('\n');
}
