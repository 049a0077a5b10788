import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './budgets.ts';
import { weighFirstView } from './first-view.ts';

test('the first view of the build stays within its budgets', async () => {
  for (const { says, measured, limit, ok } of judge(await weighFirstView('dist')))
    assert.ok(ok && measured > 0, `${says}: ${measured}, ${limit}`);
});
