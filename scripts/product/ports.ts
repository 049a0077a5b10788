import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports of what `npm start` runs, by the variable that chooses another one. */
export const startPorts = {
  PORT: 3000,
  OPS_PORT: 3001,
  WORKER_OPS_PORT: 3002,
  MAILBOX_PORT: 1080,
  MAILBOX_SMTP_PORT: 1025,
  SANDBOX_PORT: 12111,
  REDIS_PORT: 6390,
};
export type StartPorts = typeof startPorts;
export type PortName = keyof StartPorts;
export const portNames = Object.keys(startPorts).filter((name): name is PortName => name in startPorts);

/** Free ports for another `npm start`, as numbers and as its variables. */
export async function freeStartPorts(): Promise<{ ports: StartPorts; env: Record<string, string> }> {
  const ports = { ...startPorts };
  for (const name of portNames) ports[name] = await findFreePort();
  return { ports, env: Object.fromEntries(portNames.map((name) => [name, String(ports[name])])) };
}

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

/** Below the ports that systems assign to outgoing connections, which come and go. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * A port on which nothing listens, and which no other call of this function returns while this process lives.
 */
export async function findFreePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST);
  return (await isPortFree(port)) && (await claim(port)) ? port : findFreePort();
}

/**
 * Binds the UDP port of the same number, which nothing here uses: so the claim does not block a listener on
 * TCP.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
    socket.unref();
    return true;
  } catch {
    socket.close();
    return false;
  }
}
