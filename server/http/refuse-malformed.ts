import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Exchange, ExchangesOn } from './exchanges.ts';

/** Until a refused client has read why; closing at once would take the answer from it. */
const LINGER_MS = 500;

const STATUS_BY_CODE = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/**
 * Answers what is no request, or comes too slowly, with a bare status, and ends the connection. So it does with those
 * who want a tunnel, or expect what is not done here.
 */
export function refuseMalformed(
  server: Server,
  exchangesOn: ExchangesOn,
  onRefused: (status: number) => void,
): void {
  const refuse = (socket: Duplex, status: number): void => {
    answerBare(socket, status);
    onRefused(status);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (mayAnswer(socket, exchangesOn(socket))) refuse(socket, STATUS_BY_CODE.get(error.code ?? '') ?? 400);
    else if (!socket.writableEnded) socket.destroy();
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuse(socket, 405));
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, { Connection: 'close' }).end();
    onRefused(417);
  });
}

/** Not while another request on this connection awaits its answer: it would be taken for that. */
function mayAnswer(socket: Duplex, exchanges: ReadonlySet<Exchange> = new Set()): boolean {
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
