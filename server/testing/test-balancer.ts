import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';

/** A proxy in front of several apps, as simple as they come. */
export interface Balancer {
  url: string;
  /** How many answers came from each app, by its URL. */
  answers: ReadonlyMap<string, number>;
  /** What no app answered. */
  failures: readonly string[];
}

/**
 * Sends requests to one app after the other, over kept connections, and to the next one when a connection is refused, or
 * when a kept one closes before anything is answered to a mere reading. A payment is never sent twice.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
 */
export async function startBalancer(t: TestContext, apps: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo' });
  const answers = new Map<string, number>();
  const failures: string[] = [];
  let turn = 0;

  const pass = async (req: IncomingMessage, body: Buffer, res: ServerResponse): Promise<void> => {
    turn += 1;
    const first = turn % apps.length;
    for (const app of [...apps.slice(first), ...apps.slice(0, first)]) {
      try {
        const answer = await forward(app, req, body, agent);
        res.writeHead(answer.statusCode ?? 502, { 'Content-Type': answer.headers['content-type'] ?? '' });
        for await (const chunk of answer) res.write(chunk);
        res.end();
        answers.set(app, (answers.get(app) ?? 0) + 1);
        return;
      } catch (error) {
        if (!res.headersSent && mayRetry(error, req)) continue;
        failures.push(`${req.method} ${req.url}: ${error}`);
        res.destroy();
        return;
      }
    }
    failures.push(`${req.method} ${req.url}: no app listens`);
    res.writeHead(503).end();
  };

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    await pass(req, Buffer.concat(chunks), res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, answers, failures };
}

async function forward(
  app: string,
  { method = '', url, headers }: IncomingMessage,
  body: Buffer,
  agent: Agent,
): Promise<IncomingMessage> {
  const { connection: _, ...kept } = headers;
  const sent = request(`${app}${url}`, { method, agent, headers: kept });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return answer;
}

function mayRetry(error: unknown, { method }: IncomingMessage): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && method === 'GET');
}
