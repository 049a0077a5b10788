import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Whether nothing listens on a port of this machine's loopback. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Below the ports that systems give to outgoing connections, which come and go. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port that nothing listens on at this moment, chosen by chance so that others who ask get another. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST);
  return (await isPortFree(port)) ? port : findFreePort();
}
