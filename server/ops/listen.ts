import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * Node's own limits for slow, idle, oversized and greedy clients.
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#class-httpserver
 */
const LIMITS = {
  /** Until the head of a request has arrived, in ms; until all of it has; and how often both are checked. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  /**
   * Between two requests, in ms: longer than the 60 s of common proxies (nginx, AWS's load balancers). If the site
   * closed first, a request could arrive on a connection that is just closing.
   */
  keepAliveTimeout: 65_000,
  /** Without a byte in either direction, in ms: Stripe may delay an answer by two attempts of ten seconds. */
  timeout: 60_000,
  /** Bytes of a request's first line and headers, with room for cookies of neighbouring sites. */
  maxHeaderSize: 16 * 1024,
  /** Unlimited, because Node would drop the headers above it. */
  maxHeadersCount: 0,
  /** Bounds what answers to pipelined requests take while the client reads none. */
  maxRequestsPerSocket: 100,
  /** Each takes up to 10 kB. */
  maxConnections: 20_000,
};
export type ServerLimits = typeof LIMITS;

/** Connections that wait to be accepted; beyond, the system drops them, and in the end resets them. */
const BACKLOG = 4_096;

function createLimitedServer(handler: RequestListener, changes: Partial<ServerLimits>): Server {
  const limits = { ...LIMITS, ...changes };
  const { timeout, maxHeadersCount, maxRequestsPerSocket, maxConnections } = limits;
  const server = createServer(limits, handler);
  // Beyond `maxRequestsPerSocket`, Node would keep an answer with 503 for each request of a client that reads none.
  server.on('dropRequest', (_req, socket) => socket.destroy());
  return Object.assign(server, { timeout, maxHeadersCount, maxRequestsPerSocket, maxConnections });
}

/**
 * Headers that may come only once: of two, some readers take the first, as Node does, and others, such as a proxy, the
 * last. Node itself refuses two Content-Length headers.
 */
const SINGLE_HEADERS = ['authorization', 'content-type', 'host'];

/** Refuses requests with two of a header that handlers rely on. */
function refusingAmbiguous(handler: RequestListener): RequestListener {
  return (req, res) => {
    if (SINGLE_HEADERS.some((name) => (req.headersDistinct[name]?.length ?? 0) > 1))
      res.writeHead(400, { Connection: 'close' }).end();
    else handler(req, res);
  };
}

/** How long a client may take to send its next request over a kept-alive connection before the connection is closed. */
const KEPT_MS = 2_000;

/**
 * How long requests in flight may take to finish; then they are cut off. Shorter than the timeout in `run-service.ts`.
 */
const CLOSE_TIMEOUT_MS = 9_000;

/**
 * Prepares the graceful close of a server. The returned function stops accepting connections, adds
 * `Connection: close` to every answer, and closes connections without a request a moment later, so that no
 * client sends one into a connection that is just closing. It resolves to the number of requests that had to
 * be cut off.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
function closeGently(server: Server): () => Promise<number> {
  const findOpen = followAnswers(server);
  const closing = new AbortController();
  server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    if (closing.signal.aborted) announceClose(res);
  });
  return async () => {
    // Otherwise connections in the backlog would be refused: one turn of the event loop accepts them.
    await nextTurn();
    closing.abort();
    for (const res of findOpen()) announceClose(res);
    return closed(server, findOpen);
  };
}

/** Returns what finds the answers that are not finished. */
function followAnswers(server: Server): () => readonly ServerResponse[] {
  const open = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    // Of several answers on one connection, Node closes only the first with it.
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    open.get(socket)?.add(res);
    res.once('close', () => open.get(socket)?.delete(res));
  });
  return () => [...open.values()].flatMap((answers) => [...answers]);
}

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

async function closed(server: Server, findOpen: () => readonly ServerResponse[]): Promise<number> {
  let cut: Promise<unknown>[] = [];
  const end = once(server, 'close');
  // http's own close() would drop kept connections at once.
  NetServer.prototype.close.call(server);
  const idle = setInterval(() => closeIdle(server, findOpen), KEPT_MS);
  const limit = setTimeout(() => {
    cut = findOpen().map(({ req }) => once(req.socket, 'close'));
    server.closeAllConnections();
  }, CLOSE_TIMEOUT_MS);
  await end;
  // Waits until the `close` listeners of the answers that were cut off have run.
  await Promise.all(cut);
  clearInterval(idle);
  clearTimeout(limit);
  // Also stops the server's check for slow clients.
  server.close();
  return cut.length;
}

function closeIdle(server: Server, findOpen: () => readonly ServerResponse[]): void {
  // Runs after the reads of this turn: a request that has arrived keeps its connection.
  setImmediate(() => {
    // Node treats an answer as done, and its connection as idle, while a slow client still reads it.
    if (!findOpen().some(({ writableEnded }) => writableEnded)) server.closeIdleConnections();
  });
}

/** An address on which nothing can listen; the message says why. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ListenError';
  }
}

interface Address {
  host: string;
  port: number;
}

const unknownHost = ({ host }: Address): string => `The name ${host} leads to no address to listen on.`;

/** What an operator can fix, by the system's code for it. */
const REASONS = new Map<string | undefined, (address: Address) => string>([
  ['EADDRINUSE', ({ host, port }) => `Port ${port} on ${host} is taken by another program.`],
  ['EACCES', ({ host, port }) => `Port ${port} on ${host} is reserved: choose one above 1023.`],
  ['EADDRNOTAVAIL', ({ host }) => `This machine has no address ${host} to listen on.`],
  ['ENOTFOUND', unknownHost],
  ['EAI_AGAIN', unknownHost],
]);

type Listener = Awaited<ReturnType<typeof listen>>;

/** Closes listeners in parallel, so that all of them take no longer than one. */
export async function closeListeners(logger: Logger, ...listeners: readonly Listener[]): Promise<void> {
  const cut = await Promise.all(listeners.map((listener) => listener.close()));
  const requests = cut.reduce((sum, count) => sum + count, 0);
  if (requests > 0) logger.warn({ requests }, 'Requests were cut off');
}

/**
 * Listens on an address.
 * @throws {ListenError} when the address is taken, or is not an address of this machine
 */
export async function listen(handler: RequestListener, address: Address, limits: Partial<ServerLimits> = {}) {
  const server = createLimitedServer(refusingAmbiguous(handler), limits);
  const close = closeGently(server);
  server.listen({ ...address, backlog: BACKLOG });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const explain = REASONS.get(error.code);
    throw explain ? new ListenError(explain(address), { cause: error }) : error;
  });
  return {
    /** The URL of the listener; with port 0, that of the port which the system chose. */
    url: urlOf(server.address()),
    /**
     * Stops accepting, lets the requests in flight finish, drops idle connections; resolves to the number of requests
     * that it cut off.
     */
    close,
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
