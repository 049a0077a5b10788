import type { ChildOptions } from './child.ts';

/**
 * How Node runs app and worker, in the image by its `NODE_OPTIONS`: stacks name the places in the source. The bounds of
 * the heap, in megabytes, keep each process below its budget of 150 MiB under load. One thread beside the main one
 * collects and compiles: four of them would take all cores of a small machine at every collection. Budget: a
 * registration's own time, 10 ms at p99.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--v8-pool-size=1',
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
] as const;

/** What starts one of the server's programs as the image does, with further options of a test. */
export function nodeProgram(
  program: string,
  env: NodeJS.ProcessEnv,
  options: readonly string[] = [],
): Pick<ChildOptions, 'command' | 'args' | 'env'> {
  return { command: process.execPath, args: [...nodeOptions, ...options, program], env };
}
