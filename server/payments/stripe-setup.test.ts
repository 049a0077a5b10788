import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { stripeSetup } from './stripe-events.ts';

test('the operations guide names the events of the webhook and the permissions of a restricted key', async () => {
  const guide = await readFile(new URL('../ops/launch.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split("## Stripe's dashboard");
  const [dashboard = ''] = section.split('\n## ');
  const named = [...dashboard.matchAll(/`([a-z_]+(?:\.[a-z_]+)+)`/g)].map(([, name]) => name);
  assert.deepEqual(named, [...stripeSetup.events]);
  assert.ok(named.length <= 20, 'Stripe lists the events of at most twenty types, see `catchUp`');
  for (const resource of [...stripeSetup.keyWrites, ...stripeSetup.keyReads]) {
    assert.ok(dashboard.includes(resource), resource);
  }
});
