import { createServer, type RequestListener, type Server } from 'node:http';
import { trackExchanges } from './exchanges.ts';
import { type ConnectionWatcher, keepRoom } from './keep-room.ts';
import { refuseMalformed } from './refuse-malformed.ts';

/** What one client, and all of them together, may take. */
export interface ConnectionBounds {
  /** Until the head of a request is here. */
  headMs: number;
  /** Until the whole request is here. */
  requestMs: number;
  /** How often the two are looked at. */
  checkMs: number;
  /** Between two requests on one connection. */
  idleMs: number;
  /** Without a byte in either direction while an answer is awaited or read. */
  silentMs: number;
  /** Bytes of a request's first line and headers. */
  headBytes: number;
  headers: number;
  connections: number;
}

/**
 * Ten seconds are ages for a head, thirty for a form of a kilobyte. A connection idles longer than the 60 s after which
 * usual proxies (nginx, AWS's load balancers) drop theirs, for the side that sends must be the one that closes: else a
 * request now and then meets a closed door. Stripe may keep an answer waiting for two tries of ten seconds. Cookies of
 * neighbouring sites fit into the head. A process opens no more files than it has connections to serve; Node accepts
 * those above the bound and closes them at once.
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#class-httpserver
 */
const USUAL: ConnectionBounds = {
  headMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  idleMs: 65_000,
  silentMs: 60_000,
  headBytes: 16 * 1024,
  headers: 100,
  connections: 2_000,
};

/** Is told what becomes of those whom no handler sees. */
export interface ServerWatcher extends ConnectionWatcher {
  /** Something was answered with a bare status. */
  refused(status: number): void;
}

/** What a server may have otherwise than usual. */
export interface ServerOptions {
  watcher?: ServerWatcher;
  bounds?: Partial<ConnectionBounds>;
}

const UNWATCHED: ServerWatcher = { refused() {}, opened() {}, closed() {}, dropped() {} };

/** A server that no slow, silent, greedy or garbled client can hold up; it does not listen yet. */
export function createBoundedServer(
  handler: RequestListener,
  { watcher = UNWATCHED, bounds: changes }: ServerOptions = {},
): Server {
  const bounds = { ...USUAL, ...changes };
  const server = createServer(
    {
      headersTimeout: bounds.headMs,
      requestTimeout: bounds.requestMs,
      connectionsCheckingInterval: bounds.checkMs,
      keepAliveTimeout: bounds.idleMs,
      maxHeaderSize: bounds.headBytes,
    },
    withFewHeaders(bounds.headers, handler, watcher),
  );
  server.setTimeout(bounds.silentMs);
  server.maxHeadersCount = bounds.headers;
  server.maxConnections = bounds.connections;
  const exchangesOn = trackExchanges(server);
  refuseMalformed(server, exchangesOn, watcher.refused);
  keepRoom(server, bounds.connections, exchangesOn, watcher);
  return server;
}

/** Node leaves out the headers above its limit; what is judged by its headers must not lack some. */
function withFewHeaders(most: number, handler: RequestListener, { refused }: ServerWatcher): RequestListener {
  return (req, res) => {
    if (req.rawHeaders.length / 2 < most) {
      handler(req, res);
      return;
    }
    res.writeHead(431, { Connection: 'close' }).end();
    refused(431);
  };
}
