import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen, type ServerLimits } from '#server/http/listen.ts';
import { cleanUp, type TestScope, testFolder } from './clean-up.ts';

/** The beginning of a plain request. */
export const GET = 'GET / HTTP/1.1\r\nHost: here\r\n';

/** Reads the whole request before it answers. */
const answerOk: RequestListener = (req, res) => {
  req.resume().once('end', () => res.end('ok'));
};

/** Starts a listener for one test; it is closed after the test, if the test has not closed it. */
export async function startListener(
  t: TestScope,
  limits: Partial<ServerLimits> = {},
  handler: RequestListener = answerOk,
) {
  const listener = await listen(handler, { host: '127.0.0.1', port: 0 }, limits);
  let closing: Promise<number> | undefined;
  const close = (): Promise<number> => {
    closing ??= listener.close();
    return closing;
  };
  cleanUp(t, close);
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

const A = 1;
const MX = 15;
const TXT = 16;
const NO_SUCH_NAME = 3;

interface Records {
  a?: readonly string[];
  mx?: readonly string[];
  txt?: readonly string[];
}
/** What a name has: addresses, the hosts of MX, and texts. Where it is a number, the server answers with that error. */
export type Zone = Readonly<Record<string, Records | number>>;

/** A name server for one test, on loopback; the names of other zones do not exist. @see RFC 1035, section 4 */
export async function startDnsServer(t: TestScope, zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => socket.send(answerTo(query, zone), from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanUp(t, async () => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function answerTo(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(12, at + 5);
  const found = zone[labels.join('.')] ?? NO_SUCH_NAME;
  const { a = [], mx = [], txt = [] }: Records = typeof found === 'number' ? {} : found;
  const data: Readonly<Record<number, readonly Buffer[]>> = {
    [A]: a.map((address) => Buffer.from(address.split('.').map(Number))),
    [MX]: mx.map(exchangeData),
    [TXT]: txt.map(textData),
  };
  const answers = data[type] ?? [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 + (typeof found === 'number' ? found : 0), 2);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);
  // Each answer: the name of the question, the type, the class IN, a time to live of 0, and the data.
  const records = answers.flatMap((data) => [
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]),
    data,
  ]);
  return Buffer.concat([header, question, ...records]);
}

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

/** A long text is several strings. */
const textData = (text: string): Buffer => Buffer.concat((text.match(/.{1,200}/g) ?? []).map(withLength));

/** The preference 10, and the host; an empty one is the root. */
const exchangeData = (host: string): Buffer =>
  Buffer.concat([Buffer.from([0, 10]), ...host.split('.').filter(Boolean).map(withLength), Buffer.from([0])]);

const run = promisify(execFile);

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc';

/**
 * Makes certificates with openssl, valid for a day: that of `server`, which is at 127.0.0.1, is signed by `ca`. Their
 * files in the folder are `NAME.pem` and `NAME.key`.
 */
export async function makeCertificates(t: TestScope): Promise<string> {
  const folder = await testFolder(t, 'certificates');
  const make = (name: string, more = '') => {
    const files = `-keyout ${join(folder, name)}.key -out ${join(folder, name)}.pem`;
    return run('openssl', `req -x509 ${NEW_KEY} ${files} -days 1 -subj /CN=${name}${more}`.split(' '));
  };
  await make('ca');
  const signed = ` -CA ${join(folder, 'ca.pem')} -CAkey ${join(folder, 'ca.key')}`;
  const names = '-addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1';
  await make('server', `${signed} ${names}`);
  return folder;
}
