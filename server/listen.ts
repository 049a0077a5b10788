import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConnectionBounds, createBoundedServer } from './bounded-server.ts';
import { closeGently } from './close-gently.ts';

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
  bounds?: Partial<ConnectionBounds>,
): Promise<Listener> {
  const server = createBoundedServer(handler, bounds);
  const close = closeGently(server);
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new PortTakenError(port, host);
    throw error;
  });
  return { url: urlOf(server.address()), close };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
