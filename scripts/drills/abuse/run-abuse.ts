import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { type DrillRun, type Row, table } from '#scripts/drills/drill.ts';
import { register } from '#scripts/drills/stage/registering.ts';
import { openStage } from '#scripts/drills/stage/stage.ts';
import { lookAtPage, readMetrics, watch } from '#scripts/drills/watch.ts';
import { until } from '#scripts/product/child.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { connectRaw } from '#server/testing/network.ts';
import { type Kind, noteTold, type Site } from './attack.ts';
import { type Answer, judgeAnswer, judgeSite } from './judge.ts';
import { KINDS } from './kinds.ts';
import { SIEGES } from './sieges.ts';

const ATTACKERS = 32;
/** Requests of each kind before the sieges, so that all code is compiled and all caches are filled. */
const WARM_UP = 20;
/** Only so that nothing hangs. */
const TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** What thousands of requests may leave on the heap: nothing for each of them. */
const MOST_HEAP_MB = 8;

/** Lets this process make the app collect its garbage, so that only memory that is still in use is measured. */
const COLLECTOR = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2',()=>gc())"];

/** The default limits for one visitor behind a proxy, and mail providers whose keys no attacker has. */
const ENV = () => ({
  TRUST_PROXY: '1',
  RATE_LIMIT_PER_ADDRESS: undefined,
  LOG_LEVEL: 'info',
  MAIL_EVENTS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
});

type Tally = Map<string, Map<Answer['outcome'], number>>;

/** Attacks a site of its own, and judges what came back and what it cost. */
export async function runAbuse({ requests, seed, folder, say }: DrillRun & { requests: number }) {
  say('Building and starting the site …');
  const random = createRandom(seed);
  const stage = await openStage({ folder, random, env: ENV(), nodeArgs: COLLECTOR });
  const site: Site = { ...stage, told: new Set(), typed: new Set() };
  const tally: Tally = new Map();
  const sieges = new Map<string, string>();
  try {
    const shots = drawShots(Math.ceil(requests / KINDS.length), seed + 1);
    const problems = await fireAll(drawShots(WARM_UP, seed), site, tally);
    const ending = new AbortController();
    const watching = watch(() => lookAtPage(site.siteUrl), LOOK_EVERY_MS, ending.signal);
    say(`${Object.keys(SIEGES).length} sieges …`);
    for (const [name, lay] of Object.entries(SIEGES)) {
      const outcome = await lay(site).catch((error: Error) => {
        problems.push(`${name}: ${error.message.split('\n')[0]}`);
        return 'WORKED';
      });
      sieges.set(name, outcome);
    }
    const heldMb = await heapMb(site);
    say(`${shots.length} requests of ${KINDS.length} kinds …`);
    problems.push(...(await fireAll(shots, site, tally)));
    ending.abort();
    problems.push(...(await watching).failures.map(({ what }) => what));
    // Whoever comes after the attacks registers, and is sent her letter, behind all that were queued before hers.
    const last = drawVisitors(() => 1, 1)[0];
    if (last) {
      const { registration } = await register(last, site);
      const { mails } = site.mailServer;
      await until('who comes last gets her letter', async () =>
        mails.some(({ recipients }) => recipients.includes(last.email)),
      );
      site.told.add(site.notes.firstOf(registration).paymentIntentId);
    }
    const grownMb = (await heapMb(site)) - heldMb;
    if (grownMb > MOST_HEAP_MB) problems.push(`The heap grew by ${grownMb.toFixed(1)} MB by the requests`);
    problems.push(...(await judgeSite(site)));
    const outcomes = [...tally].map(([kind, counts]): Row => {
      return [kind, [...counts].map(([outcome, times]) => `${outcome} × ${times}`).join(', ')];
    });
    return { tally, sieges, problems, report: table([...outcomes, ...sieges]) };
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
  const fire = async ({ kind, bytes }: (typeof shots)[number]): Promise<void> => {
    const answer = await sendAttack(kind.to === 'ops' ? site.opsUrl : site.siteUrl, bytes);
    noteTold(site, answer.text);
    const outcomes = tally.get(kind.name) ?? new Map();
    tally.set(kind.name, outcomes.set(answer.outcome, (outcomes.get(answer.outcome) ?? 0) + 1));
    const problem = judgeAnswer(kind, bytes, answer);
    if (problem) problems.push(problem);
  };
  await Readable.from(shots).forEach(fire, { concurrency: ATTACKERS });
  return problems;
}

async function sendAttack(url: string, bytes: Uint8Array): Promise<Answer> {
  const client = await connectRaw(url);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    client.socket.destroy();
  }, TIMEOUT_MS);
  client.send(bytes);
  const { status, text } = await client.closed();
  clearTimeout(timer);
  return { outcome: isLate ? 'no answer' : (status ?? 'closed'), text };
}

/** What the app holds at rest: JavaScript's heap and the buffers beside it, after a collection. */
async function heapMb({ app, opsUrl }: Site): Promise<number> {
  if (app.pid !== undefined) process.kill(app.pid, 'SIGUSR2');
  const metrics = await readMetrics(opsUrl);
  return (metrics('nodejs_heap_size_used_bytes') + metrics('nodejs_external_memory_bytes')) / 1e6;
}
