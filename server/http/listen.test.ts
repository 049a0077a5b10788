import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startListener } from '#server/testing/network.ts';
import { listen } from './listen.ts';

describe('listen', () => {
  test('a port that is taken is named in the error', async (t) => {
    const { url } = await startListener(t);
    const port = Number(new URL(url).port);
    const second = listen(() => {}, { host: '127.0.0.1', port });
    await assert.rejects(second, {
      name: 'ListenError',
      message: `Port ${port} on 127.0.0.1 is taken by another program.`,
    });
  });

  for (const [host, words] of [
    ['192.0.2.1', 'This machine has no address 192.0.2.1'],
    ['host.invalid', 'The name host.invalid leads to no address'],
  ] as const) {
    test(`${host}, where nothing can listen, is named in the error`, async () => {
      const listener = listen(() => {}, { host, port: 0 });
      await assert.rejects(listener, { name: 'ListenError', message: new RegExp(`^${words}`) });
    });
  }
});
