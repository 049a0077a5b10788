import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { type DrillRun, type Row, table } from '#scripts/drills/drill.ts';
import { leaks } from '#scripts/drills/oracle/judge.ts';
import { openStage, type Stage } from '#scripts/drills/stage/stage.ts';
import { register } from '#scripts/drills/stage/visitor.ts';
import { lookAtPage, memoryMb, readMetrics, watch } from '#scripts/drills/watch.ts';
import { until } from '#scripts/product/child.ts';
import { sampleOffice } from '#scripts/product/environment.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/mail-event-sources.ts';
import { connectRaw } from '#server/testing/network.ts';
import { ECHO, JSON_TYPE, KINDS, type Kind, PERSONAL } from './kinds.ts';

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
  MAIL_EVENTS_SENDGRID_KEY: generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64'),
});

/** A running site behind one proxy, and the payments of which an answer has told a visitor. */
type Site = Stage & { told: Set<string> };

type Tally = Map<string, Map<Answer['outcome'], number>>;

/** Attacks a site of its own, and judges what came back and what it cost. */
export async function runAbuse({ requests, seed, folder, say }: DrillRun & { requests: number }) {
  say('Building and starting the site …');
  const random = createRandom(seed);
  const stage = await openStage({ folder, random, env: ENV(), nodeArgs: COLLECTOR });
  const site: Site = { ...stage, told: new Set() };
  const tally: Tally = new Map();
  const bodies: Row[] = [];
  try {
    const shots = drawShots(Math.ceil(requests / KINDS.length), seed + 1);
    const problems = await fireAll(drawShots(WARM_UP, seed), site, tally);
    const ending = new AbortController();
    const watching = watch(() => lookAtPage(site.siteUrl), LOOK_EVERY_MS, ending.signal);
    for (const [what, headers] of SIGNED_BY_NOBODY) {
      say(`${SENDERS} mail webhooks ${what} …`);
      const grownMb = await sendBodies(site, headers);
      bodies.push([`${SENDERS} mail webhooks ${what}`, `${grownMb.toFixed(0)} MB`]);
      // It is not known on a system without `/proc`.
      if (grownMb > MOST_MB) problems.push(`Mail webhooks ${what} took ${grownMb.toFixed(0)} MB`);
    }
    const heldMb = await heapMb(site);
    say(`${shots.length} requests of ${KINDS.length} kinds …`);
    problems.push(...(await fireAll(shots, site, tally)));
    ending.abort();
    problems.push(...(await watching).failures.map(({ what }) => what));
    // Whoever comes after the attacks registers, and is sent her letter, behind all that were queued before hers.
    const last = drawVisitors(() => 1, 1)[0];
    if (last) {
      const { depositId } = await register(last, site);
      site.told.add(depositId);
      const { mails } = site.mailServer;
      await until('who comes last gets her letter', async () =>
        mails.some(({ recipients }) => recipients.includes(last.email)),
      );
    }
    const grownMb = (await heapMb(site)) - heldMb;
    if (grownMb > MOST_HEAP_MB) problems.push(`The heap grew by ${grownMb.toFixed(1)} MB by the requests`);
    problems.push(...(await judgeSite(site)));
    const outcomes = [...tally].map(([kind, counts]): Row => {
      return [kind, [...counts].map(([outcome, times]) => `${outcome} × ${times}`).join(', ')];
    });
    return { tally, problems, report: table([...outcomes, ...bodies]) };
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
    for (const [, payment = ''] of answer.text.matchAll(/(pi_\w+)_secret_/g)) site.told.add(payment);
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

/** What came back: a status, that the connection was closed without one, or that no answer came in time. */
interface Answer {
  outcome: number | 'closed' | 'no answer';
  text: string;
}

const FOLDERS = [process.cwd(), homedir()].filter((path) => path.length > 1);

/** What no answer may contain, each with its name in the report. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a part of the request', new RegExp(`${ECHO}|${PERSONAL}`, 'i')],
  ['a stack', /\bat .{1,200}:\d+:\d+|node:internal|node_modules/],
  ['a path of the machine', new RegExp(FOLDERS.map((path) => path.replace(/[^\w/]/g, '\\$&')).join('|'))],
  ['an inner error', /(Syntax|Type|Range|URI|Reference|Stripe\w*)Error|ECONN|Unexpected token/],
  ['a file that is not public', /root:.*:0:0|"devDependencies"|"preload":|\bSTRIPE_SECRET_KEY\b/],
  ['an injected header', /^X-Injected:/im],
];

const SHOWN = 300;

/** What is wrong with an answer, with the request that got it; undefined when all is well. */
export function judgeAnswer(kind: Kind, bytes: Uint8Array, { outcome, text }: Answer): string | undefined {
  const isAllowed = kind.allowed.some((allowed) => allowed === outcome);
  const [what] = FORBIDDEN.find(([, pattern]) => pattern.test(text)) ?? [];
  if (isAllowed && !what) return undefined;
  const fault = what && isAllowed ? `the answer (${outcome}) holds ${what}` : `answered ${outcome}`;
  const request = JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, SHOWN));
  return `${kind.name}: ${fault}\n    ${request} (${bytes.length} bytes)`;
}

/**
 * What is wrong with the site after the attacks: failures and personal values in the log, payments that nobody was told
 * of, and letters to anybody but those who registered and the office.
 */
async function judgeSite({ lines, crashes, stripe, told, mailServer }: Site): Promise<string[]> {
  const isFailure = (line: string) => /"level":"fatal"|"msg":"request failed"|^[^{]/.test(line);
  // Of too many unfinished webhooks, one is given up for each that comes.
  const failures = lines.filter((line) => isFailure(line) && !line.includes('"code":"busy"'));
  const addresses = new Set<string>([sampleOffice.OFFICE_EMAIL]);
  const recipients = mailServer.mails.flatMap((mail) => mail.recipients);
  const problems = [...crashes, ...leaks(lines)];
  if (failures.length > 0)
    problems.push(`${failures.length} log lines tell of failures, such as ${failures[0]}`);
  for await (const { id, status, receipt_email } of stripe.paymentIntents.list({ limit: 100 })) {
    if (!told.has(id)) problems.push(`The payment ${id} was made, and nobody was told`);
    if (status === 'succeeded') problems.push(`The payment ${id} is paid`);
    addresses.add(receipt_email?.toLowerCase() ?? '');
  }
  const unknown = recipients.filter((address) => !addresses.has(address.toLowerCase()));
  return [...problems, ...unknown.map((address) => `${address} was sent a letter`)];
}

const SENDERS = 450;
const BODY_BYTES = 1_000_000;
/** What the app may take in addition at the most: a part of the buffers that all bodies pass through. */
const MOST_MB = 60;
const SIGNED_BY_NOBODY: readonly (readonly [what: string, headers: readonly string[]])[] = [
  ['without a signature', []],
  [
    'with a forged one',
    [
      'webhook-id: 1',
      `webhook-timestamp: ${Math.floor(Date.now() / 1000)}`,
      `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
    ],
  ],
];

/** Sends bodies of a megabyte at once that no mail provider has signed; returns by how much the most memory that the app ever took grew. */
async function sendBodies({ app, siteUrl }: Site, headers: readonly string[]): Promise<number> {
  const beforeMb = memoryMb(app.pid, 'VmHWM');
  const { host } = new URL(siteUrl);
  const request = [`POST ${MAIL_EVENTS_PATH} HTTP/1.1`, `Host: ${host}`, 'Connection: close', JSON_TYPE];
  const head = [...request, `Content-Length: ${BODY_BYTES}`, ...headers].join('\r\n');
  const bytes = `${head}\r\n\r\n${' '.repeat(BODY_BYTES - 1)}`;
  const senders = await Promise.all(Array.from({ length: SENDERS }, () => connectRaw(siteUrl)));
  for (const client of senders) client.send(bytes);
  // Only when all that they have sent is on its way can any of them be complete.
  for (const { socket } of senders)
    if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  for (const client of senders) client.send(' ');
  await Promise.all(senders.map((client) => client.closed()));
  return memoryMb(app.pid, 'VmHWM') - beforeMb;
}
