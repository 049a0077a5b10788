import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type ChildOptions, startChild } from './child.ts';
import type { Environment } from './environment.ts';
import { nodeOptions } from './node-program.ts';

const ANSWER_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Something could not be started; the message is one sentence for the person who wanted to start it. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}

/** One of the two processes of the product. */
export type ServerName = 'app' | 'worker';

export interface ServerOptions extends Pick<ChildOptions, 'onLine' | 'onCrash'> {
  /** The folder that holds the build. */
  build: string;
  env: Environment & { OPS_PORT: string };
  /** Further options of Node. */
  nodeArgs?: readonly string[];
}

/**
 * Starts app or worker as the image does; resolves when it answers on its ops port.
 * @throws {StartError} when it ends first, or does not answer within a minute; then it is stopped
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
 * @throws {StartError} when the process ends first, or does not answer within a minute
 */
export async function waitForAnswer(url: string, child: Child): Promise<void> {
  let ended: string | undefined;
  child.ended.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (ended !== undefined) throw new StartError(`The ${child.name} ${ended}: see its messages above.`);
    if (Date.now() > deadline) throw new StartError(`The ${child.name} does not answer at ${url}.`);
    await delay(POLL_MS);
  }
}

/** Whether something answers at an address with success. */
export async function answers(url: string): Promise<boolean> {
  try {
    // With keep-alive, the product would wait for this connection when it stops.
    const response = await fetch(url, { headers: { Accept: 'text/html', Connection: 'close' } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
