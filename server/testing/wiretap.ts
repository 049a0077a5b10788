import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { cleanUp, type TestScope } from './clean-up.ts';

/** A way to a PostgreSQL database or a Redis that can be disturbed. */
export async function wiretap(t: TestScope, url: string) {
  const port = Number(new URL(url).port);
  let last: string | undefined;
  let isDeaf = false;
  let generation = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let isCut = false;
    const own = generation;
    const passes = () => own === generation && !isDeaf;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      isCut = last !== undefined && data.includes(last);
      if (isCut) last = undefined;
      if (passes()) server.write(data);
    });
    server.on('data', (data) => {
      if (isCut) client.destroy();
      else if (passes()) client.write(data);
    });
    client.on('close', () => passes() && server.destroy());
    server.on('close', () => passes() && client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanUp(t, async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  assert.ok(address && typeof address === 'object');
  return {
    url: url.replace(`:${port}`, `:${address.port}`),
    /** Cuts it once the server has answered a statement, before the answer arrives. */
    cutAfter(statement: string) {
      last = statement;
    },
    /** Lets nothing through any more, and tells nobody, as when a host vanishes. */
    deafen() {
      isDeaf = true;
    },
    /** New connections pass data again; existing ones never do. */
    hear() {
      generation += 1;
      isDeaf = false;
    },
  };
}
