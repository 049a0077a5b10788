import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listen, PortTakenError } from './listen.ts';
import { startListener } from './testing/test-listener.ts';

describe('listen', () => {
  test('a taken port is named', async (t) => {
    const { url } = await startListener(t);
    const port = Number(new URL(url).port);
    const second = listen(() => {}, { host: '127.0.0.1', port });
    await assert.rejects(second, PortTakenError);
  });
});
