import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long requests in flight may take to finish once the listener closes; then they are cut off. */
const CLOSE_TIMEOUT_MS = 5_000;

/** An address that another program holds. */
export class PortTakenError extends Error {
  constructor(port: number, host: string) {
    super(`Port ${port} on ${host} is taken by another program.`);
    this.name = 'PortTakenError';
  }
}

export interface Listener {
  /** The address it is reached at; with port 0 the one the system chose. */
  url: string;
  /** Stops accepting, lets the requests in flight finish, drops idle connections. */
  close(): Promise<void>;
}

/**
 * Listens on an address.
 * @throws {PortTakenError} when another program listens there
 */
export async function listen(
  handler: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createServer(handler);
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new PortTakenError(port, host);
    throw error;
  });
  return {
    url: urlOf(server.address()),
    close: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        server.close((error) => {
          clearTimeout(timer);
          if (error) reject(error);
          else resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
