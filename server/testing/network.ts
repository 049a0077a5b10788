import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { listen, type ServerLimits } from '#server/ops/listen.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

/** The beginning of a plain request. */
export const GET = 'GET / HTTP/1.1\r\nHost: here\r\n';

/** Reads the whole request before it answers. */
const answerOk: RequestListener = (req, res) => {
  req.resume().once('end', () => res.end('ok'));
};

/** Starts a listener for one test; after the test it drops all connections at once. */
export async function startListener(
  t: TestScope,
  limits: Partial<ServerLimits> = {},
  handler: RequestListener = answerOk,
) {
  const sockets = new Set<Socket>();
  const noting: RequestListener = (req, res) => {
    sockets.add(req.socket);
    handler(req, res);
  };
  const listener = await listen(noting, { host: '127.0.0.1', port: 0 }, limits);
  let closing: Promise<number> | undefined;
  const close = (): Promise<number> => {
    closing ??= listener.close();
    return closing;
  };
  cleanUp(t, async () => {
    for (const socket of sockets) socket.destroy();
    await close();
  });
  return { url: listener.url, close };
}

/** A connection that sends any bytes. */
export type RawClient = Awaited<ReturnType<typeof connectRaw>>;

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

/** A way to a PostgreSQL database or a Redis that can be disturbed. */
export async function wiretap(t: TestScope, url: string) {
  const port = Number(new URL(url).port);
  let last: string | undefined;
  let isDeaf = false;
  let generation = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let isCut = false;
    const own = generation;
    const passes = () => own === generation && !isDeaf;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      isCut = last !== undefined && data.includes(last);
      if (isCut) last = undefined;
      if (passes()) server.write(data);
    });
    server.on('data', (data) => {
      if (isCut) client.destroy();
      else if (passes()) client.write(data);
    });
    client.on('close', () => passes() && server.destroy());
    server.on('close', () => passes() && client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanUp(t, async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  assert.ok(address && typeof address === 'object');
  return {
    url: url.replace(`:${port}`, `:${address.port}`),
    /** Cuts it once the server has answered a statement, before the answer arrives. */
    cutAfter(statement: string) {
      last = statement;
    },
    /** Lets nothing through any more, and tells nobody, as when a host vanishes. */
    deafen() {
      isDeaf = true;
    },
    /** New connections pass data again; existing ones never do. */
    hear() {
      generation += 1;
      isDeaf = false;
    },
  };
}
