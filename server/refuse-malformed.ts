import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Until a refused client has read why; closing at once would take the answer from it. */
const LINGER_MS = 500;

const STATUS_BY_CODE = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
]);

type Exchange = readonly [IncomingMessage, ServerResponse];

/**
 * Answers what is no request, or comes too slowly, with a bare status, and ends the connection. So it does with those
 * who want a tunnel, or expect what is not done here.
 */
export function refuseMalformed(server: Server, onRefused: (status: number) => void): void {
  const refuse = (socket: Duplex, status: number): void => {
    answerBare(socket, status);
    onRefused(status);
  };
  const open = new WeakMap<Duplex, Set<Exchange>>();
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const exchange: Exchange = [req, res];
    const others = open.get(req.socket) ?? new Set();
    open.set(req.socket, others.add(exchange));
    res.once('close', () => others.delete(exchange));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (mayAnswer(socket, open.get(socket))) refuse(socket, STATUS_BY_CODE.get(error.code ?? '') ?? 400);
    else if (!socket.writableEnded) socket.destroy();
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuse(socket, 405));
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, { Connection: 'close' }).end();
    onRefused(417);
  });
}

/** Not while another request on this connection awaits its answer: it would be taken for that. */
function mayAnswer(socket: Duplex, exchanges: Set<Exchange> = new Set()): boolean {
  if (!socket.writable) return false;
  const [first, second] = exchanges;
  if (!first) return true;
  const [req, res] = first;
  return !second && !req.complete && !res.headersSent;
}

function answerBare(socket: Duplex, status: number): void {
  const allow = status === 405 ? 'Allow: GET, HEAD\r\n' : '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
