import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRACT } from './contract.ts';
import { runContract, runWithKey } from './run-contract.ts';
import { startLogged } from './test-sandbox.ts';

const rows = Object.entries(CONTRACT).map(([id, { says }]) => [id, says]);

test('the sandbox keeps the contract, of twenty-six rows', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const lines: string[] = [];
  await runContract({ stripe, failRefund: sandbox.bank.settleRefund }, (line) => lines.push(line));
  assert.deepEqual(
    lines,
    rows.map(([id, says]) => `holds    ${id}: ${says}`),
  );
  assert.equal(rows.length, 26);
});

test('npm run stripe-contract is skipped without a key, refuses a live one, and says what differs', async (t) => {
  const { stripe, sandbox } = await startLogged(t, {
    intercept: ({ path }) => (path.endsWith('/detach') ? { kind: 'rate-limit' } : undefined),
  });
  const run = async (key?: string) => {
    const lines: string[] = [];
    const connect = () => ({ stripe, failRefund: sandbox.bank.settleRefund });
    return [await runWithKey(key, (line) => lines.push(line), connect), ...lines];
  };
  const [skipped, why, ...rest] = await run('');
  assert.deepEqual([skipped, rest], [0, []]);
  assert.match(String(why), /^Skipped: without STRIPE_TEST_SECRET_KEY/);
  assert.match(
    String(await run('sk_live_1')),
    /^1,STRIPE_TEST_SECRET_KEY must begin with sk_test_ or rk_test_/,
  );
  const [code, first, , third] = await run('rk_test_1');
  assert.equal(code, 1);
  assert.match(
    String(first),
    /^differs {2}detached-card: .*; what came: "failed: .*Request rate limit exceeded"$/,
  );
  assert.match(String(third), /^holds {4}spent-card: /);
});
