import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestLog } from '#server/testing/test-log.ts';
import { logQueueErrors } from './queue-errors.ts';

describe('the errors of a queue', () => {
  test('the first of a kind is a warning, and again after a success; one while Redis is away is no warning', () => {
    const log = createTestLog();
    const redis = { status: 'ready' } as const;
    const errors = logQueueErrors(redis, log.logger, 'Queue error');
    errors.failed(new Error('OOM command not allowed, script 1'));
    errors.failed(new Error('OOM command not allowed, script 2'));
    errors.failed(new Error('READONLY replica'));
    errors.worked();
    errors.failed(new Error('OOM command not allowed, script 1'));
    logQueueErrors({ status: 'reconnecting' }, log.logger, 'Queue error').failed(new Error('Closed'));
    assert.deepEqual(log.text().match(/(?<="level":")\w+/g), ['warn', 'debug', 'warn', 'warn', 'debug']);
  });
});
