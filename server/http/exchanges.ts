import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and its answer. */
export type Exchange = readonly [IncomingMessage, ServerResponse];

/** The exchanges that are under way on a connection; undefined before its first. */
export type ExchangesOn = (socket: Duplex) => ReadonlySet<Exchange> | undefined;

/** Keeps account of a server's exchanges, each until its answer is handed over or its connection ends. */
export function trackExchanges(server: Server): ExchangesOn {
  const open = new WeakMap<Duplex, Set<Exchange>>();
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const exchange: Exchange = [req, res];
    const others = open.get(req.socket) ?? new Set();
    open.set(req.socket, others.add(exchange));
    res.once('close', () => others.delete(exchange));
  });
  return (socket) => open.get(socket);
}
