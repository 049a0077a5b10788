import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FairShare } from './fair-share.ts';
import { visitorAddress } from './visitor-address.ts';

/**
 * Limits for one client, and for all clients together. Ten seconds are plenty for a head, thirty for a form of a
 * kilobyte. A connection may be idle longer than the 60 s after which common proxies (nginx, AWS's load balancers)
 * close theirs, so that the proxy closes first: otherwise a request may arrive on a connection that is just closing. Stripe may delay an answer by
 * two attempts of ten seconds. The head has room for cookies of neighbouring sites. The limit on connections
 * also limits the open files of the process. A body of 32 kB that is sent in chunks of one byte takes a megabyte of
 * memory, and a body of honest size is complete within milliseconds.
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#class-httpserver
 */
const USUAL = {
  /** Until the head of a request has arrived. */
  headMs: 10_000,
  /** Until the whole request has arrived. */
  requestMs: 30_000,
  /** How often these two times are checked. */
  checkMs: 2_000,
  /** Between two requests on one connection. */
  idleMs: 65_000,
  /** Without a byte in either direction while an answer is awaited or read. */
  silentMs: 60_000,
  /** Bytes of a request's first line and headers. */
  headBytes: 16 * 1024,
  headers: 100,
  connections: 2_000,
  /** Requests whose body has not arrived completely. */
  bodies: 100,
};
export type ConnectionBounds = typeof USUAL;

/** Is notified of connections, and of requests refused before any handler. */
export interface ServerWatcher {
  opened(): void;
  closed(): void;
  /** There were too many connections, or too many unfinished requests: one of them was closed. */
  dropped(): void;
  /** A request was answered with a bare status. */
  refused(status: number): void;
}

/** Overrides of the defaults. */
export interface ServerOptions {
  watcher?: ServerWatcher;
  bounds?: Partial<ConnectionBounds>;
}

const UNWATCHED: ServerWatcher = { refused() {}, opened() {}, closed() {}, dropped() {} };

/**
 * A server with bounds for slow, idle, oversized and malformed clients; it does not listen yet. At whatever stage
 * clients stop, a newcomer is answered.
 */
export function createBoundedServer(
  handler: RequestListener,
  { watcher = UNWATCHED, bounds: changes }: ServerOptions = {},
): Server {
  const bounds = { ...USUAL, ...changes };
  const refuseBody = (socket: Socket): void => {
    watcher.dropped();
    refuse(socket, 503, watcher);
  };
  const server = createServer(
    {
      headersTimeout: bounds.headMs,
      requestTimeout: bounds.requestMs,
      connectionsCheckingInterval: bounds.checkMs,
      keepAliveTimeout: bounds.idleMs,
      maxHeaderSize: bounds.headBytes,
    },
    withHeaderChecks(bounds.headers, shareBodies(bounds.bodies, handler, refuseBody), watcher),
  );
  server.setTimeout(bounds.silentMs);
  server.maxHeadersCount = bounds.headers;
  shareConnections(server, bounds.connections, watcher);
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

/** What else a refusal says, by its status. */
const HINTS = new Map([
  [405, 'Allow: GET, HEAD\r\n'],
  [503, 'Retry-After: 60\r\n'],
]);

/** How long a refused client may take to read the answer; Node closes at once, which could cut the answer off. */
const LINGER_MS = 500;

/**
 * Refuses a malformed or slow request with a bare status, or closes the connection if something was sent on it already.
 */
function refuse(socket: Duplex, status: number, { refused }: ServerWatcher): void {
  const hasAnswered = socket instanceof Socket && socket.bytesWritten > 0;
  if (!socket.writable || hasAnswered) {
    socket.destroy();
    return;
  }
  refused(status);
  const hint = HINTS.get(status) ?? '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${hint}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Headers that may come only once: of two, some readers take the first, as Node does, and others, such as a proxy, the
 * last. Node itself refuses two Content-Length headers.
 */
const SINGLE_HEADERS = new Set(['authorization', 'content-type', 'host']);

/**
 * Refuses a request that has too many headers, some of which Node drops, or two of a single header: handlers rely on
 * these headers. Later requests on the same connection get no answer any more, so they must not have an effect either.
 */
function withHeaderChecks(
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

/** Node drops the headers above its limit. @param rawHeaders names and values, alternating */
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

/** A connection, and the request that it has sent last. */
function connectionOf(socket: Socket) {
  let last: { req: IncomingMessage; res: ServerResponse } | undefined;
  return {
    address: addressOf(socket),
    /** It sends nothing, has not sent all, or does not read what is ready for it. */
    get awaitsClient(): boolean {
      return !last?.req.complete || last.res.writableEnded || last.res.writableNeedDrain;
    },
    end: () => socket.destroy(),
    begin(req: IncomingMessage, res: ServerResponse): void {
      last = { req, res };
    },
  };
}

/** The address of a connection: all visitors who come through a proxy have the same. */
function addressOf({ remoteAddress: ip = '' }: Socket): string {
  return visitorAddress({ ip });
}

/**
 * Shares connections out: beyond `most`, one that waits for its client is closed for each newcomer; the newcomer itself
 * if all others are being answered.
 */
function shareConnections(server: Server, most: number, watcher: ServerWatcher): void {
  const share = new FairShare(most, watcher.dropped);
  const connections = new WeakMap<Socket, ReturnType<typeof connectionOf>>();
  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket);
    if (!share.take(connection)) return;
    connections.set(socket, connection);
    watcher.opened();
    socket.once('close', () => {
      share.release(connection);
      watcher.closed();
    });
  });
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(req.socket);
    if (!connection) return;
    connection.begin(req, res);
    share.renew(connection);
  });
}

/**
 * Shares out what bodies take while they arrive: beyond `most`, one of them is refused for each newcomer.
 * @param refuse answers on a connection, and closes it
 */
function shareBodies(
  most: number,
  handler: RequestListener,
  refuse: (socket: Socket) => void,
): RequestListener {
  const share = new FairShare(most);
  return (req, res) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
    if (encoding !== undefined || Number(length ?? 0) > 0) {
      const { socket } = req;
      const body = { address: addressOf(socket), awaitsClient: true, end: () => refuse(socket) };
      share.take(body);
      req.once('close', () => share.release(body));
    }
    handler(req, res);
  };
}
