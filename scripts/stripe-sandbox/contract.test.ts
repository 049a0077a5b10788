import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRACT } from './contract.ts';
import { obstacleOf, runContract } from './run-contract.ts';
import { startTestSandbox } from './sandbox.ts';

test('the sandbox keeps the contract', async (t) => {
  const { stripe, sandbox } = await startTestSandbox(t);
  const lines: string[] = [];
  const holds = await runContract({ stripe, failRefund: sandbox.bank.settleRefund }, (line) =>
    lines.push(line),
  );
  assert.ok(holds, lines.join('\n'));
  assert.equal(lines.length, Object.keys(CONTRACT).length);
});

test('npm run stripe-contract says what differs, is skipped without a key, and refuses a live one', async (t) => {
  const { stripe, sandbox } = await startTestSandbox(t, {
    intercept: ({ path }) => (path.endsWith('/detach') ? { kind: 'rate-limit' } : undefined),
  });
  const lines: string[] = [];
  const host = { stripe, failRefund: sandbox.bank.settleRefund };
  assert.equal(await runContract(host, (line) => lines.push(line)), false);
  assert.match(lines[0] ?? '', /^differs {2}detached-card: .*; what came: "failed: .*rate limit exceeded"$/);
  assert.deepEqual([obstacleOf('')?.[1], obstacleOf('sk_live_1')?.[1]], [false, true]);
  assert.equal(obstacleOf('rk_test_1'), undefined);
});
