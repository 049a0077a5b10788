import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** Reloads once something else is answered: other problems, or the site. */
const SCRIPT = `setInterval(async () => {
  const answer = await fetch(location, { cache: 'no-store' }).catch(() => undefined);
  if (answer && (await answer.text()) !== shown) location.reload();
}, 300);
let shown = '';
fetch(location, { cache: 'no-store' }).then(async (answer) => { shown = await answer.text(); });`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const pageOf = (problems: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The content cannot be shown yet</title>
<style>body { max-width: 60rem; margin: 3rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui; }</style>
<h1>The content cannot be shown yet</h1>
<ul>${problems.map((problem) => `<li>${escaped(problem)}</li>`).join('\n')}</ul>
<p>Correct this and save the file: the site comes back by itself.</p>
<script>${SCRIPT}</script>
`;

/** Answers in the place of the site what is wrong with its content. */
export function createProblemsPage(host: string, port: number) {
  let server: Server | undefined;
  let page = '';
  return {
    async show(problems: readonly string[]): Promise<void> {
      page = pageOf(problems);
      if (server) return;
      const headers = { 'Content-Type': 'text/html', 'Cache-Control': 'no-store', Connection: 'close' };
      server = createServer((_request, response) => response.writeHead(503, headers).end(page));
      await once(server.listen(port, host), 'listening');
    },
    async close(): Promise<void> {
      if (!server) return;
      server.closeAllConnections();
      await once(server.close(), 'close');
      server = undefined;
    },
  };
}
