import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ExchangesOn } from './exchanges.ts';

/** From this share of its connections on, a server lets newcomers take the places of idle ones. */
const NEARLY_FULL = 0.9;

/** Is told how many connections there are, and of those above the bound, which Node closes unanswered. */
export interface ConnectionWatcher {
  opened(): void;
  closed(): void;
  dropped(): void;
}

/**
 * Keeps whoever holds many connections and asks nothing from shutting others out: when a server is nearly full, each
 * newcomer has the idle one that came first closed.
 */
export function keepRoom(
  server: Server,
  most: number,
  exchangesOn: ExchangesOn,
  watcher: ConnectionWatcher,
): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    watcher.opened();
    socket.once('close', () => {
      sockets.delete(socket);
      watcher.closed();
    });
    // After this turn's reading: a request that has arrived keeps its connection.
    if (sockets.size > most * NEARLY_FULL) setImmediate(closeFirstIdle, sockets, exchangesOn, socket);
  });
  server.on('drop', watcher.dropped);
}

function closeFirstIdle(sockets: Iterable<Socket>, exchangesOn: ExchangesOn, newcomer: Socket): void {
  for (const socket of sockets) {
    if (socket === newcomer) return;
    const exchanges = exchangesOn(socket);
    const idle = exchanges ? exchanges.size === 0 : socket.bytesRead === 0;
    if (!idle) continue;
    socket.destroy();
    return;
  }
}
