import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { cleanUp, type TestScope } from './clean-up.ts';

/** How the service answers each request. */
export type Answer = (response: ServerResponse) => void;

/** Starts a real HTTP service that keeps the requests it receives. */
export async function startEmailService(t: TestScope, answer: Answer) {
  const requests: { method: string; path: string; type: string; body: unknown }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    requests.push({ method, path, type: headers['content-type'] ?? '', body });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The e-mail service has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}
