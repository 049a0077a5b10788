import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

/** The least that Node can do: `bare-server.ts PORT FILE` answers everything with the file, as brotli HTML. */
const [port, file = ''] = process.argv.slice(2);
const body = await readFile(file);
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Encoding': 'br',
  'Content-Length': body.length,
};
createServer((_req, res) => {
  res.writeHead(200, headers);
  res.end(body);
}).listen(Number(port), '127.0.0.1');
