import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What was received on a connection until it was closed. */
export interface RawAnswer {
  text: string;
  /** The status of the first answer, except `100 Continue`; undefined if there was none. */
  status: number | undefined;
  /** How many answers there were, except `100 Continue`. */
  count: number;
}

/** A connection that sends any bytes. */
export interface RawClient {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** Waits until these words have been received. */
  until(words: string): Promise<void>;
  /** Waits until the other side has closed. */
  closed(): Promise<RawAnswer>;
}

/** Connects to a listener by its URL. */
export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  // Some tests expect the connection to be cut off.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    send: (data) => void socket.write(data),
    async until(words) {
      while (!text.includes(words)) {
        if (socket.closed) throw new Error(`Closed before "${words}" came`);
        await Promise.race([once(socket, 'data'), gone]);
      }
    },
    async closed() {
      await gone;
      return readAnswer(text);
    },
  };
}

/** Sends one text over a new connection, and reads until the connection is closed. */
export async function sendRaw(url: string, text: string | Uint8Array): Promise<RawAnswer> {
  const client = await connectRaw(url);
  client.send(text);
  return client.closed();
}

function readAnswer(text: string): RawAnswer {
  const lines = [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)];
  return { text, status: lines[0] && Number(lines[0][1]), count: lines.length };
}
