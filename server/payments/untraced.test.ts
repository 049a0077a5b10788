import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untraced } from './untraced.ts';

function traceOf(error: Error): string {
  return (error.stack ?? '').replace(String(error), '');
}

describe('an untraced call', () => {
  test('takes no trace, and gives its answer', () => {
    assert.equal(
      untraced(() => traceOf(new Error('Unread'))),
      '',
    );
  });

  test('leaves all other errors their traces, even after a failure', () => {
    const fail = (): never => {
      throw new Error('Refused');
    };
    assert.throws(() => untraced(fail), /Refused/);
    assert.match(traceOf(new Error('Read')), /untraced\.test\.ts/);
  });

  test('leaves what happens after the call its trace', async () => {
    const trace = await untraced(async () => {
      await Promise.resolve();
      return traceOf(new Error('Read'));
    });
    assert.match(trace, /untraced\.test\.ts/);
  });
});
