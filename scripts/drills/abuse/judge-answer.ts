import { homedir } from 'node:os';
import { type Attack, type AttackKind, ECHO, PERSONAL } from './attack.ts';
import type { Answer } from './send-attack.ts';

const SHOWN = 300;

/** What no answer may hold, by what it would be called. */
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
