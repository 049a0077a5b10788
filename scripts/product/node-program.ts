import type { ChildOptions } from './child.ts';

/**
 * How Node runs app and worker, in the image by its `NODE_OPTIONS` and commands: with the places of a stack as they stand
 * in the source, and with a small nursery and a bound of the heap in megabytes. V8 collects the sooner the nearer the bound
 * is: at six times of what lives that costs a twentieth of the CPU time and spares a third of the memory under load. One
 * thread beside the main one collects and compiles: with the usual four, every collection takes all cores of a small
 * machine, and requests, Redis and the worker wait for it. The middle one of V8's compilers, which Node 20 has not, stays
 * off: it takes 8 MB and saves a sixth of a registration's CPU time.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--v8-pool-size=1',
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
  '--no-maglev',
] as const;

/**
 * What glibc is told for Node 24: pieces of 32 KiB and more go back to the system as soon as they are free. V8's compilers
 * ask for such pieces, on a thread whose pool would keep the 10 MB that the largest function takes. It costs a twentieth of
 * the CPU time; Node 20's compilers take so little that it would be for nothing.
 */
export const allocatorEnvironment = { MALLOC_MMAP_THRESHOLD_: '32768' } as const;

const [majorVersion = 0] = process.versions.node.split('.').map(Number);

/** What starts one of the server's programs as the image does, with further options of a test. */
export function nodeProgram(
  program: string,
  env: NodeJS.ProcessEnv,
  options: readonly string[] = [],
): Pick<ChildOptions, 'command' | 'args' | 'env'> {
  return {
    command: process.execPath,
    args: [...nodeOptions, ...options, program],
    env: { ...env, ...(majorVersion >= 24 && allocatorEnvironment) },
  };
}
