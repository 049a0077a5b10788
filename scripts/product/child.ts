import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 12_000;

export interface ChildOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  onLine?: ((line: string) => void) | undefined;
  /** It ended, and nobody asked it to. */
  onCrash?: ((sentence: string) => void) | undefined;
}

/** A process that this one started and will end. */
export interface Child {
  readonly name: string;
  readonly pid: number | undefined;
  readonly ended: Promise<string>;
  /**
   * Asks the process to end, and kills it if it has not ended after `timeoutMs`; resolves when it has ended.
   */
  stop(timeoutMs?: number): Promise<void>;
  /** Lets this process end although the child runs. */
  unref(): void;
}

const running = new Set<Child>();
let stopping = false;

/**
 * Starts a process in a process group of its own, so that Ctrl-C in a terminal reaches only its parent, which
 * then ends everything in order.
 * @throws {Error} once `stopChildren` was called
 */
export function startChild(options: ChildOptions): Child {
  const { name, command, args, env, onLine = () => {}, onCrash } = options;
  if (stopping) throw new Error(`The ${name} is not started any more.`);
  const process = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [process.stdout, process.stderr]) {
    createInterface({ input: stream }).on('line', onLine);
  }
  let asked = false;
  const ended = waitForEnd(process).then((how) => {
    running.delete(child);
    if (!asked) onCrash?.(`The ${name} ${how}.`);
    return how;
  });
  const child: Child = {
    name,
    pid: process.pid,
    ended,
    async stop(timeoutMs = STOP_TIMEOUT_MS) {
      asked = true;
      process.kill('SIGTERM');
      const timer = setTimeout(() => process.kill('SIGKILL'), timeoutMs);
      await ended;
      clearTimeout(timer);
    },
    unref() {
      process.unref();
      for (const stream of [process.stdout, process.stderr]) if (stream instanceof Socket) stream.unref();
    },
  };
  running.add(child);
  return child;
}

/** Ends every process that is still running, the last started first; no other process can be started then. */
export async function stopChildren(): Promise<void> {
  stopping = true;
  for (const child of [...running].toReversed()) await child.stop();
}

async function waitForEnd(process: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(process, 'exit');
    return signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
  } catch (error) {
    return `could not be started: ${error instanceof Error ? error.message : error}`;
  }
}

/** Something could not be started; the message is one sentence for the person who wanted to start it. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Guards only against hanging. */
const WAIT_TIMEOUT_MS = 180_000;
const ASK_EVERY_MS = 20;

/**
 * Asks for something again and again, until there is an answer that is not empty. What cannot be asked has none yet.
 * @param child the process that is asked
 * @throws {StartError} naming what is not so in time, caused by the last error, or the process that ended first
 */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | false | undefined>,
  child?: Child,
): Promise<Answer> {
  let end: string | undefined;
  void child?.ended.then((how) => {
    end = how;
  });
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  let cause: unknown;
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      cause = error;
    });
    if (answer) return answer;
    if (end !== undefined) throw new StartError(`The ${child?.name} ${end}: see its messages above.`);
    if (Date.now() > deadline) throw new StartError(`Not so in time: ${what}.`, { cause });
    await delay(ASK_EVERY_MS);
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

/** A process that can be ended and started again. */
export type Service = ReturnType<typeof createService>;

/**
 * Makes a service from a function that launches its process; `onCrash` is called when it ends without `kill`
 * or `stop`.
 */
export function createService(
  launch: (onCrash: (sentence: string) => void) => Promise<Child>,
  onCrash: (sentence: string) => void = () => {},
) {
  let starting: Promise<Child> | undefined;
  let child: Child | undefined;
  let wanted = false;
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined && wanted) process.kill(child.pid, name);
  };
  const forget = (): void => {
    starting = undefined;
    child = undefined;
  };
  return {
    get pid(): number | undefined {
      return child?.pid;
    },
    /** Resolves when the process that was started last has ended, and says how it ended. */
    get ended(): Promise<string> {
      return child?.ended ?? Promise.resolve('was not started');
    },
    async start(): Promise<void> {
      wanted = true;
      starting = launch((sentence) => wanted && onCrash(sentence));
      child = await starting;
    },
    /** Stops the process gracefully, also one that is still starting; kills it after `timeoutMs`. */
    async stop(timeoutMs?: number): Promise<void> {
      wanted = false;
      const last = await starting?.catch(() => undefined);
      await last?.stop(timeoutMs);
      forget();
    },
    /** Ends the process at once, as a power cut does. */
    async kill(): Promise<void> {
      signal('SIGKILL');
      wanted = false;
      await child?.ended;
      forget();
    },
    /** Suspends the process until `thaw`, like a machine that swaps. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}
