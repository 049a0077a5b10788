import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type AttackKind, ECHO, PERSONAL } from './attack.ts';
import { judgeAnswer } from './judge.ts';
import { KNOWN_ATTACKS, verdictOn } from './known-attacks.ts';
import { reportOf } from './report.ts';
import { drawShots, KINDS, runAbuse } from './run-abuse.ts';

describe('abuse', () => {
  test('hostile requests get clean refusals, and leave nothing behind', async (t) => {
    await mkdir('.data', { recursive: true });
    const folder = join(process.cwd(), await mkdtemp(join('.data', 'abuse-test-')));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const result = await runAbuse({
      requests: 1_000,
      seed: 6,
      seconds: 30,
      slow: ['silence', 'head'],
      folder,
      say: () => {},
    });
    assert.deepEqual(result.problems, [], reportOf(result));
    assert.equal(result.tally.size, KINDS.length);
    assert.deepEqual(
      result.known.map(({ name, held }) => [name, held]),
      KNOWN_ATTACKS.map(({ name }) => [name, true]),
    );
    for (const { seconds } of result.slow) assert.ok(seconds < 15);
    t.diagnostic(`\n${reportOf(result)}`);
  });

  test('the same seed draws the same attacks, another draws others', () => {
    const drawn = (seed: number) =>
      drawShots(3, seed).map(({ attack }) => Buffer.from(attack.bytes).toString('hex'));
    assert.deepEqual(drawn(1), drawn(1));
    assert.notDeepEqual(drawn(1), drawn(2));
  });
});

describe('the verdict on an answer', () => {
  const [kind] = KINDS;
  assert.ok(kind);
  const lenient: AttackKind = { ...kind, allowed: [404] };
  const verdict = (outcome: number | 'closed' | 'no answer', text = '') =>
    judgeAnswer(lenient, { bytes: 'GET / HTTP/1.1' }, { outcome, text })?.split('\n')[0];

  test('is good only for a clean refusal', () => {
    assert.equal(verdict(404, '{"error":{"code":"not_found"}}'), undefined);
    assert.match(verdict(500) ?? '', /answered 500/);
    assert.match(verdict('closed') ?? '', /answered closed/);
    assert.match(verdict('no answer') ?? '', /no answer/);
  });

  test('is bad for an answer with forbidden content', () => {
    const bad = [
      [`There is no ${ECHO} here`, 'a part of the request'],
      [`<p>${PERSONAL}</p>`, 'a part of the request'],
      [new Error('of this machine').stack ?? '', 'a stack'],
      [`cannot open ${process.cwd()}/dist`, 'a path of the machine'],
      ['SyntaxError: Unexpected token', 'an inner error'],
      ['daemon:x:1:1\nroot:x:0:0:r:/:/bin/sh', 'a file that is not public'],
      ['HTTP/1.1 404 Not Found\r\nX-Injected: yes\r\n\r\n', 'an injected header'],
    ] as const;
    for (const [text, what] of bad) assert.ok(verdict(404, text)?.endsWith(`holds ${what}`), text);
  });
});

describe('the verdict on a known attack', () => {
  const attempt = (...problems: string[]) => {
    const left = [...problems];
    return async (): Promise<string> => {
      const problem = left.shift();
      if (problem) throw new Error(problem);
      return '429';
    };
  };

  test('is bad for an attack that works, and says how', async () => {
    const works = attempt('The payment was changed\n200 !== 409');
    assert.deepEqual(await verdictOn(works, async () => 0), { held: false, told: 'The payment was changed' });
  });

  test('ignores an attempt during which the app counted in its own memory, and retries it twice at most', async () => {
    let count = 0;
    const disturbed = async (): Promise<number> => {
      count += 1;
      return count;
    };
    assert.deepEqual(await verdictOn(attempt('Five got 200'), disturbed), { held: true, told: '429' });
    const often = attempt('Five got 200', 'Five got 200', 'Five got 200');
    assert.equal((await verdictOn(often, disturbed)).held, false);
  });
});
