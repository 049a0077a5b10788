import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
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
    withSoundHeaders(bounds.headers, handler, watcher),
  );
  server.setTimeout(bounds.silentMs);
  server.maxHeadersCount = bounds.headers;
  server.maxConnections = bounds.connections;
  const exchangesOn = trackExchanges(server);
  refuseMalformed(server, exchangesOn, watcher.refused);
  keepRoom(server, bounds.connections, exchangesOn, watcher);
  return server;
}

/**
 * Of two of them one reader takes the first, as Node does, and another one, such as a proxy, the last. Node itself
 * refuses two lengths of a body.
 */
const SINGLE_HEADERS = new Set(['authorization', 'content-type', 'host']);

/**
 * What is judged by its headers must not lack some, nor have two to be judged by. What follows such a
 * request on its connection gets no answer any more, so it must do nothing either.
 */
function withSoundHeaders(
  most: number,
  handler: RequestListener,
  { refused }: ServerWatcher,
): RequestListener {
  const closing = new WeakSet<Socket>();
  return (req, res) => {
    if (closing.has(req.socket)) return;
    const status = headersProblem(req.rawHeaders, most);
    if (status === undefined) {
      handler(req, res);
      return;
    }
    closing.add(req.socket);
    res.writeHead(status, { Connection: 'close' }).end();
    refused(status);
  };
}

/** Node leaves out the headers above its limit. @param rawHeaders names and values in turn */
function headersProblem(rawHeaders: readonly string[], most: number): 400 | 431 | undefined {
  if (rawHeaders.length / 2 >= most) return 431;
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return 400;
    seen.add(name);
  }
  return undefined;
}
