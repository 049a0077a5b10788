import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairShare, type Holding } from './fair-share.ts';
import { visitorAddress } from './visitor-address.ts';

/** Is notified of connections. */
export interface ConnectionWatcher {
  opened(): void;
  closed(): void;
  /** There were too many connections, or too many unfinished requests: one of them was closed. */
  dropped(): void;
}

/** A connection, and the request that it has sent last. */
class Connection implements Holding {
  readonly address: string;
  readonly #socket: Socket;
  #req: IncomingMessage | undefined;
  #res: ServerResponse | undefined;

  constructor(socket: Socket) {
    this.address = addressOf(socket);
    this.#socket = socket;
  }

  begin(req: IncomingMessage, res: ServerResponse): void {
    this.#req = req;
    this.#res = res;
  }

  /** It sends nothing, has not sent all, or does not read what is ready for it. */
  get awaitsClient(): boolean {
    const res = this.#res;
    return !res || !this.#req?.complete || res.writableEnded || res.writableNeedDrain;
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** The address of a connection: all visitors who come through a proxy have the same. */
function addressOf({ remoteAddress: ip = '' }: Socket): string {
  return visitorAddress({ ip });
}

/**
 * Shares connections out: beyond `most`, one that waits for its client is closed for each newcomer; the newcomer itself
 * if all others are being answered.
 */
export function shareConnections(server: Server, most: number, watcher: ConnectionWatcher): void {
  const share = new FairShare(most, watcher.dropped);
  const connections = new WeakMap<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket);
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
export function shareBodies(
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
