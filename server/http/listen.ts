import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createBoundedServer, type ServerOptions } from './bounded-server.ts';
import { closeGently } from './close-gently.ts';

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
export async function listen(handler: RequestListener, address: Address, options?: ServerOptions) {
  const server = createBoundedServer(handler, options);
  const close = closeGently(server);
  server.listen(address.port, address.host);
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
