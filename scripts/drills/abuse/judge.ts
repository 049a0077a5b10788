import { homedir } from 'node:os';
import { type Attack, type AttackKind, ECHO, PERSONAL } from './attack.ts';
import type { Answer, SlowResult } from './clients.ts';
import type { Measurement, Target } from './target.ts';

const SHOWN = 300;

/** What no answer may contain, each with its name in the report. */
const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ['a part of the request', new RegExp(`${ECHO}|${PERSONAL}`, 'i')],
  ['a stack', /\bat .{1,200}:\d+:\d+|node:internal|node_modules/],
  [
    'a path of the machine',
    new RegExp(
      [process.cwd(), homedir()]
        .filter((path) => path.length > 1)
        .map(escaped)
        .join('|'),
    ),
  ],
  ['an inner error', /(Syntax|Type|Range|URI|Reference|Stripe\w*)Error|ECONN|Unexpected token/],
  ['a file that is not public', /root:.*:0:0|"devDependencies"|"preload":|\bSTRIPE_SECRET_KEY\b/],
  ['an injected header', /^X-Injected:/im],
];

function escaped(text: string): string {
  return text.replace(/[^\w/]/g, '\\$&');
}

/** What is wrong with an answer, with the request that got it; undefined when all is well. */
export function judgeAnswer(
  { name, allowed }: AttackKind,
  attack: Attack,
  answer: Answer,
): string | undefined {
  const fault = faultOf(allowed, attack, answer);
  return fault && `${name}: ${fault}\n    ${shown(attack.bytes)}`;
}

function faultOf(allowed: AttackKind['allowed'], { ending }: Attack, { outcome, text }: Answer) {
  if (outcome === 'no answer') return 'no answer';
  const cutOff = outcome === 'closed' && ending === 'hangs-up';
  if (!cutOff && !allowed.includes(outcome)) return `answered ${outcome}`;
  const [what] = FORBIDDEN.find(([, pattern]) => pattern.test(text)) ?? [];
  return what && `the answer (${outcome}) holds ${what}`;
}

function shown(bytes: Attack['bytes']): string {
  const text = Buffer.from(bytes).toString('latin1');
  return `${JSON.stringify(text.slice(0, SHOWN))}${text.length > SHOWN ? ` … (${text.length} bytes)` : ''}`;
}

/**
 * What a few thousand requests may leave: statistics and caches that fill up once, but nothing for each
 * request.
 */
const HEAP_GROWTH_MB = 8;
/** Freed memory is not given back to the system at once: this swings by 100 MB, whatever the number of requests. */
const RSS_GROWTH_MB = 200;
const FILES_GROWTH = 4;

interface Aftermath {
  target: Target;
  slow: readonly SlowResult[];
  before: Measurement;
  after: Measurement;
}

/** What is wrong with the app after the attacks. */
export async function judgeTarget({ target, slow, before, after }: Aftermath): Promise<string[]> {
  const problems: string[] = [];
  const expect = (well: boolean, problem: string): void => {
    if (!well) problems.push(problem);
  };
  for (const { slowness, count, refused } of slow) {
    expect(refused === count, `${count - refused} of ${count} slow clients (${slowness}) got no 408`);
  }
  const heapGrowth = after.heapMb - before.heapMb;
  const rssGrowth = after.rssMb - before.rssMb;
  expect(heapGrowth <= HEAP_GROWTH_MB, `The heap grew by ${heapGrowth.toFixed(1)} MB`);
  expect(rssGrowth <= RSS_GROWTH_MB, `The memory grew by ${rssGrowth.toFixed(1)} MB`);
  const filesGrowth = (after.files ?? 0) - (before.files ?? 0);
  expect(filesGrowth <= FILES_GROWTH, `${filesGrowth} more files are open`);

  const failures = target.lines.filter((line) => /"level":"fatal"|"msg":"request failed"|^[^{]/.test(line));
  expect(failures.length === 0, `The log tells of ${failures.length} failures: ${failures[0]}`);
  const told = target.lines.filter((line) => line.toLowerCase().includes(PERSONAL));
  expect(told.length === 0, `The log holds personal values, ${told.length} times: ${told[0]}`);
  const page = await fetch(target.siteUrl, { headers: { Connection: 'close' } }).catch(() => undefined);
  expect(page?.status === 200, `The page is not served any more: ${page?.status}`);
  return problems;
}
