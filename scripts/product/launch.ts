import { join } from 'node:path';
import { type Child, type ChildOptions, startChild, until } from './child.ts';
import type { Environment } from './environment.ts';
import { nodeOptions } from './node-program.ts';

/** One of the two processes of the product. */
export type ServerName = 'app' | 'worker';

export interface ServerOptions extends Pick<ChildOptions, 'onLine' | 'onCrash'> {
  build: string;
  env: Environment & { OPS_PORT: string };
  nodeArgs?: readonly string[];
}

/**
 * Starts app or worker as the image does; resolves when it answers on its ops port.
 * @throws {StartError} when it ends first, or does not answer in time; then it is stopped
 */
export async function startServer(name: ServerName, options: ServerOptions): Promise<Child> {
  const { build, env, nodeArgs = [], onLine, onCrash } = options;
  const child = startChild({
    name,
    command: process.execPath,
    args: [...nodeOptions, ...nodeArgs, join(build, `start-${name}.js`)],
    env: { PATH: process.env.PATH, ...env },
    onLine,
    ...(onCrash && { onCrash }),
  });
  try {
    await waitForAnswer(`http://127.0.0.1:${env.OPS_PORT}/healthz`, child);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/**
 * Waits until a process that was just started answers at an address with success.
 * @throws {StartError} when the process ends first, or does not answer in time
 */
export async function waitForAnswer(url: string, child: Child): Promise<void> {
  const answers = async (): Promise<boolean> => {
    // With keep-alive, the product would wait for this connection when it stops.
    const response = await fetch(url, { headers: { Accept: 'text/html', Connection: 'close' } });
    await response.body?.cancel();
    return response.ok;
  };
  await until(`the ${child.name} answers at ${url}`, answers, child);
}
