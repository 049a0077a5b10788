import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { cleanUp, type TestScope } from './clean-up.ts';

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
