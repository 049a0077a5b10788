import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairShare, type Holding } from './fair-share.ts';

/** A share of three, and who lost something, in order. */
function start() {
  const share = new FairShare(3);
  const ended: string[] = [];
  /** Takes something under a name that begins with its holder's. */
  const take = (name: string, awaitsClient = true): Holding & { taken: boolean } => {
    const [address = ''] = name.split(' ');
    const holding = { address, awaitsClient, end: () => void ended.push(name) };
    return Object.assign(holding, { taken: share.take(holding) });
  };
  return { share, ended, take };
}

describe('what clients hold', () => {
  test('is taken from the address that holds most, the longest held first', () => {
    const { ended, take } = start();
    for (const name of ['quiet 1', 'greedy 1', 'greedy 2', 'greedy 3', 'greedy 4']) take(name);
    assert.deepEqual(ended, ['greedy 1', 'greedy 2']);
    take('other 1');
    assert.deepEqual(ended.slice(2), ['greedy 3']);
    take('other 2');
    assert.deepEqual(ended.slice(3), ['quiet 1'], 'of those who hold as much, who came first');
  });

  test('is not taken while its client waits for the server; then the newcomer loses', () => {
    const { ended, take } = start();
    take('busy 1', false);
    take('busy 2', false);
    take('slow 1');
    assert.equal(take('busy 3', false).taken, true);
    assert.deepEqual(ended, ['slow 1']);
    assert.equal(take('late 1').taken, false);
    assert.deepEqual(ended, ['slow 1', 'late 1']);
  });

  test('counts as held from now on when it is renewed, and makes room when it is released', () => {
    const { share, ended, take } = start();
    const first = take('one 1');
    const second = take('one 2');
    take('one 3');
    share.renew(first);
    share.release(second);
    share.release(second);
    take('one 4');
    assert.deepEqual(ended, []);
    take('one 5');
    assert.deepEqual(ended, ['one 3']);
    take('one 6');
    assert.deepEqual(ended, ['one 3', 'one 1']);
    share.renew(first);
    share.release(first);
    take('one 7');
    assert.deepEqual(ended.slice(2), ['one 4'], 'what was taken is not held again');
  });
});
