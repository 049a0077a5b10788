import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection that sends any bytes. */
export type RawClient = Awaited<ReturnType<typeof connectRaw>>;

/** Connects to a listener by its URL. */
export async function connectRaw(url: string) {
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
    send: (data: string | Uint8Array) => void socket.write(data),
    /** Waits until these words have been received. */
    async until(words: string): Promise<void> {
      while (!text.includes(words)) {
        if (socket.closed) throw new Error(`Closed before "${words}" came`);
        await Promise.race([once(socket, 'data'), gone]);
      }
    },
    /** Waits until the other side has closed; returns what was received. */
    async closed() {
      await gone;
      return readAnswer(text);
    },
  };
}

/** Sends one text over a new connection, and reads until the connection is closed. */
export async function sendRaw(url: string, text: string | Uint8Array) {
  const client = await connectRaw(url);
  client.send(text);
  return client.closed();
}

/** With the status of the first answer, and how many there were, except `100 Continue`. */
function readAnswer(text: string) {
  const lines = [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)];
  return { text, status: lines[0] && Number(lines[0][1]), count: lines.length };
}
