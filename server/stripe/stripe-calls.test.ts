import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untraced } from './stripe-calls.ts';

function traceOf(error: Error): string {
  return (error.stack ?? '').replace(String(error), '');
}

describe('an untraced call', () => {
  test('keeps the stack traces of all other errors, even after a failure', () => {
    const fail = (): never => {
      throw new Error('Refused');
    };
    assert.throws(() => untraced(fail), /Refused/);
    assert.match(traceOf(new Error('Read')), /stripe-calls\.test\.ts/);
  });

  test('keeps the stack traces of errors after the call', async () => {
    const trace = await untraced(async () => {
      await Promise.resolve();
      return traceOf(new Error('Read'));
    });
    assert.match(trace, /stripe-calls\.test\.ts/);
  });
});
