import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { cleanUp, type TestScope } from './clean-up.ts';

/** A TCP proxy that can drop all data without closing a connection, like a firewall that has forgotten the connection. */
export interface DeafProxy {
  port: number;
  /** From now on all data is dropped, on existing and on new connections. */
  deafen(): void;
  /** New connections pass data again; existing ones never do. */
  hear(): void;
}

/** Starts a proxy in front of a port of this machine; it is closed after the test. */
export async function startDeafProxy(t: TestScope, target: number): Promise<DeafProxy> {
  const sockets = new Set<Socket>();
  let generation = 0;
  let isDeaf = false;
  const server = createServer((client) => {
    const own = generation;
    const passes = () => own === generation && !isDeaf;
    const behind = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => passes() && to.write(bytes));
      from.on('error', () => {}); // A `close` event follows.
      from.on('close', () => {
        sockets.delete(from);
        if (passes()) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    port: address.port,
    deafen() {
      isDeaf = true;
    },
    hear() {
      generation += 1;
      isDeaf = false;
    },
  };
}
