/**
 * The options with which Node runs app and worker; the image sets the same in `NODE_OPTIONS`. Source maps
 * make stack traces show positions in the source. The limits of the heap, in megabytes, keep each process
 * below its budget of 150 MiB under load. One thread besides the main one collects garbage and compiles: four
 * of them would take all cores of a small machine at every collection. Budget: a registration's own time, 10
 * ms at p99.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--v8-pool-size=1',
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
] as const;
