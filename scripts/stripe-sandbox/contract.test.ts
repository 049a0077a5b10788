import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CONTRACT } from './contract.ts';
import { runAtStripe, runContract } from './run-contract.ts';
import { startLogged } from './test-sandbox.ts';

test('the sandbox keeps the contract, of twenty rows, which its README lists', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const lines: string[] = [];
  await runContract({ stripe, failRefund: sandbox.bank.settleRefund }, (line) => lines.push(line));
  assert.deepEqual(
    lines,
    CONTRACT.map(({ id, says }) => `holds    ${id}: ${says}`),
  );
  const readme = await readFile(new URL('./README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, id, says]) => [id, says]);
  assert.equal(CONTRACT.length, 20);
  assert.deepEqual(
    listed.filter(([id]) => CONTRACT.some((row) => row.id === id)),
    CONTRACT.map(({ id, says }) => [id, says]),
  );
});

test('npm run stripe-contract is skipped without a key, refuses a live one, and says what differs', async (t) => {
  const { stripe } = await startLogged(t, {
    intercept: ({ path }) => (path.endsWith('/detach') ? { kind: 'rate-limit' } : undefined),
  });
  const run = async (key?: string) => {
    const lines: string[] = [];
    return {
      code: await runAtStripe(
        key,
        (line) => lines.push(line),
        () => stripe,
      ),
      lines,
    };
  };
  const skipped = await run();
  assert.deepEqual([skipped.code, skipped.lines.length], [0, 1]);
  assert.match(String(skipped.lines), /^Skipped: /);
  const refused = await run('sk_live_1');
  assert.deepEqual([refused.code, refused.lines.length], [1, 1]);
  assert.match(String(refused.lines), /must begin with sk_test_ or rk_test_/);
});
