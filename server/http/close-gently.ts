import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a client may take to send its next request over a connection that it kept; it is then told to leave. */
const KEPT_MS = 2_000;

/** How long requests in flight may take to finish; then they are cut off. This fits into `run-service.ts`'s bound. */
const CLOSE_TIMEOUT_MS = 9_000;

/**
 * Prepares to close a server: nothing new is accepted, every answer says `Connection: close`, and connections without a
 * request are closed a moment later, so that no client sends one into a connection that is just closing. What it
 * returns closes the server, and tells how many requests had to be cut off.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function closeGently(server: Server): () => Promise<number> {
  const open = new Set<ServerResponse>();
  const closing = new AbortController();
  server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    open.add(res);
    res.once('close', () => open.delete(res));
    if (closing.signal.aborted) announceClose(res);
  });
  return async () => {
    // Connections in the backlog would be refused: one turn of the event loop accepts them.
    await nextTurn();
    closing.abort();
    for (const res of open) announceClose(res);
    return closed(server, open);
  };
}

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

async function closed(server: Server, open: ReadonlySet<ServerResponse>): Promise<number> {
  let cut: Promise<void>[] = [];
  const end = once(server, 'close');
  // http's own close() would drop kept connections at once.
  NetServer.prototype.close.call(server);
  const idle = setInterval(() => closeIdle(server, open), KEPT_MS);
  const limit = setTimeout(() => {
    cut = [...open].map((res) => new Promise((resolve) => res.once('close', resolve)));
    server.closeAllConnections();
  }, CLOSE_TIMEOUT_MS);
  await end;
  // Listeners of the answers have been told about those that were cut off.
  await Promise.all(cut);
  clearInterval(idle);
  clearTimeout(limit);
  // Ends the server's watch for slow clients as well.
  server.close();
  return cut.length;
}

function closeIdle(server: Server, open: ReadonlySet<ServerResponse>): void {
  // After this turn's reading: a request that has arrived keeps its connection.
  setImmediate(() => {
    // Node takes an answer for done, and its connection for idle, while a slow client still reads it.
    if (![...open].some(({ writableEnded }) => writableEnded)) server.closeIdleConnections();
  });
}
