import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actContextOf } from '#server/testing/test-mailing.ts';
import { startFullSite } from '#server/testing/test-site.ts';
import { readCommand } from './run-command.ts';

test('commands show the waiting list, offer a place, withdraw the offer, and remove an entry', async (t) => {
  const site = await startFullSite(t);
  await site.join();
  await site.confirm();
  const { id } = await site.onlyEntry();
  const context = actContextOf(site, site.mailQueue.bullQueue, site.connection);
  const run = async (...words: string[]) => String(await readCommand(words)((work) => work(context), {}));
  assert.match(
    await run('waiting'),
    new RegExp(`Places +1[\\s\\S]*Can be offered +0[\\s\\S]*${id} .*Wilma O’Hara .*Waiting`),
  );
  await assert.rejects(run('offer', id, '--by', 'Olga'), /No place is free/);
  const offered = ['offer', id, '--by', 'Olga', '--without-place'];
  assert.match(await run(...offered, '--dry-run'), /Only tried: nothing was changed/);
  assert.match(await run(...offered), /A place is kept for her until .*\n[\s\S]*Recorded for Olga/);
  assert.match(await run('waiting'), /Offered +1[\s\S]*A place is offered until/);
  assert.match(await run('withdraw-offer', id, '--by', 'Olga'), /its link no longer works/);
  assert.match(await run('remove-waiting', id, '--by', 'Olga'), /her details are deleted/);
  assert.match(await run('waiting'), /Nobody waits/);
  await assert.rejects(run('offer', id, '--by', 'Olga'), /There is no entry/);
  assert.throws(() => readCommand(['offer', 'pi_1', '--by', 'Olga']), /ENTRY needs/);
});
