import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weighFirstView } from './first-view.ts';

test('the first view of the build stays within its budgets', async () => {
  for (const { kind, bytes, budget } of await weighFirstView('dist')) {
    assert.ok(bytes > 0 && bytes <= budget, `${kind}: ${bytes} bytes of ${budget}`);
  }
});
