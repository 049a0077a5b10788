import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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
 * Ten seconds are plenty for a head, thirty for a form of a kilobyte. A connection may be idle longer than the 60 s
 * after which common proxies (nginx, AWS's load balancers) close theirs, so that the proxy closes first: otherwise a
 * request may arrive on a connection that is just closing. Stripe may keep an answer waiting for two tries of ten
 * seconds. Cookies of neighbouring sites fit into the head. A process opens no more files than it has connections to
 * serve; Node accepts those above the bound and closes them at once.
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

/** Is notified of connections, and of requests refused before any handler. */
export interface ServerWatcher {
  opened(): void;
  closed(): void;
  /** There were too many: Node closed it at once. */
  dropped(): void;
  /** Something was answered with a bare status. */
  refused(status: number): void;
}

/** Overrides of the defaults. */
export interface ServerOptions {
  watcher?: ServerWatcher;
  bounds?: Partial<ConnectionBounds>;
}

const UNWATCHED: ServerWatcher = { refused() {}, opened() {}, closed() {}, dropped() {} };

/** A server with bounds for slow, idle, oversized and malformed clients; it does not listen yet. */
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
  server.on('connection', (socket: Socket) => {
    watcher.opened();
    socket.once('close', () => watcher.closed());
  });
  server.on('drop', () => watcher.dropped());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, STATUS_BY_CODE.get(error.code ?? '') ?? 400, watcher);
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuse(socket, 405, watcher));
  return server;
}

const STATUS_BY_CODE = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/** Until a refused client has read why; Node, which closes at once, would take the answer from it. */
const LINGER_MS = 500;

/** Answers what is no request, or comes too slowly, with a bare status, unless an answer may be under way already. */
function refuse(socket: Duplex, status: number, { refused }: ServerWatcher): void {
  const hasAnswered = socket instanceof Socket && socket.bytesWritten > 0;
  if (!socket.writable || hasAnswered) {
    socket.destroy();
    return;
  }
  refused(status);
  const allow = status === 405 ? 'Allow: GET, HEAD\r\n' : '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
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
