import { createServer } from 'node:http';
import { constants, createBrotliCompress } from 'node:zlib';
import { renderToMemory } from '#server/page/render-page.ts';
import { readPage } from './first-view.ts';

/** The usual quality of servers for a response that is compressed for one request only. */
const QUALITY = 4;

/** Renders and compresses the page for each request, as if nothing were kept: `render-server.ts PORT BUILD`. */
const [port, buildFolder = ''] = process.argv.slice(2);
const { options } = await readPage(buildFolder);

createServer((_req, res) => {
  renderToMemory(options, () => {
    const compressed = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Encoding': 'br' });
    compressed.pipe(res);
    return compressed;
  });
}).listen(Number(port), '127.0.0.1');
