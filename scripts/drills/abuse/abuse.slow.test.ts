import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { ECHO, type Kind, PERSONAL } from './attack.ts';
import { judgeAnswer } from './judge.ts';
import { KINDS } from './kinds.ts';
import { runAbuse } from './run-abuse.ts';
import { SIEGES } from './sieges.ts';

describe('abuse', () => {
  test('hostile requests get clean refusals, and leave nothing behind', async (t) => {
    const result = await inFolder('abuse-test', (folder) =>
      runAbuse({ requests: 1_000, seed: 6, folder, say: () => {} }),
    );
    t.diagnostic(result.report);
    assert.deepEqual(result.problems, []);
    assert.equal(result.tally.size, KINDS.length);
    assert.deepEqual([...result.sieges.keys()], Object.keys(SIEGES));
  });
});

describe('the verdict on an answer', () => {
  const [kind] = KINDS;
  assert.ok(kind);
  const only404: Kind = { ...kind, allowed: [404] };
  const verdict = (outcome: number | 'closed' | 'no answer', text = '') =>
    judgeAnswer(only404, Buffer.from('GET / HTTP/1.1'), { outcome, text })?.split('\n')[0];

  test('is good only for a clean refusal', () => {
    assert.equal(verdict(404, '{"error":{"code":"not_found"}}'), undefined);
    for (const outcome of [500, 'closed', 'no answer'] as const)
      assert.ok(verdict(outcome)?.endsWith(`answered ${outcome}`));
  });

  for (const [text, what] of [
    [`There is no ${ECHO} here`, 'a part of the request'],
    [`<p>${PERSONAL}</p>`, 'a part of the request'],
    [new Error('of this machine').stack ?? '', 'a stack'],
    [`cannot open ${process.cwd()}/dist`, 'a path of the machine'],
    ['SyntaxError: Unexpected token', 'an inner error'],
    ['daemon:x:1:1\nroot:x:0:0:r:/:/bin/sh', 'a file that is not public'],
    ['HTTP/1.1 404 Not Found\r\nX-Injected: yes\r\n\r\n', 'an injected header'],
  ] as const) {
    test(`is bad for ${what}: ${text.slice(0, 20)}`, () => {
      assert.ok(verdict(404, text)?.endsWith(`holds ${what}`));
    });
  }
});
