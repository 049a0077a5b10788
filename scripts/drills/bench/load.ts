import { setTimeout as pause } from 'node:timers/promises';
import autocannon, { type Request } from 'autocannon';
import { readProc } from '#scripts/drills/watch.ts';

/** Requests that some connections make, each as soon as it has its answer. */
export interface Load {
  url: string;
  connections: number;
  each: number;
  /** Between the first requests of two connections, so that they do not all ask at the same moments. */
  apartMs?: number;
  request: () => Pick<Request, 'method' | 'headers' | 'body'>;
}

export type Round = Awaited<ReturnType<typeof measureLoad>>;

/**
 * Makes a load, and measures what it costs a process.
 * @throws {Error} when an answer is not 200
 */
export async function measureLoad(load: Load, pid: number | undefined) {
  const { connections, apartMs = 0 } = load;
  const beforeMs = cpuTimeMs(pid);
  const timings = await Promise.all(
    Array.from({ length: connections }, async (_, place) => {
      await pause(place * apartMs);
      return askInTurn(load);
    }),
  );
  return {
    /** Of the process that served it, for all requests. */
    cpuMs: cpuTimeMs(pid) - beforeMs,
    /** The times until answers were complete, in milliseconds; the first of each connection, which opens it, left out. */
    timings: timings.flat(),
  };
}

function askInTurn({ url, each, request }: Load): Promise<number[]> {
  const timings: number[] = [];
  const statuses = new Set<number>();
  const options = {
    url,
    connections: 1,
    amount: each,
    sampleInt: 100,
    requests: [{ setupRequest: (same: Request) => ({ ...same, ...request() }) }],
  };
  return new Promise((resolve, reject) => {
    const run = autocannon(options, (error, result) => {
      statuses.delete(200);
      if (error) reject(error);
      else if (result.errors > 0 || statuses.size > 0)
        reject(new Error(`${url} was answered with ${[...statuses]}, ${result.errors} times not at all`));
      else resolve(timings.slice(1));
    });
    run.on('response', (_client, status, _bytes, ms) => {
      timings.push(ms);
      statuses.add(status);
    });
  });
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[Math.ceil(middle) - 1],
    sorted[Math.floor(middle)],
  ];
  return (below + above) / 2;
}

/** Linux counts CPU time in hundredths of a second on every platform where Node runs. */
const TICK_MS = 10;

/** CPU time that a process has used; not a number where /proc is missing. */
export function cpuTimeMs(pid: number | undefined): number {
  const fields = readProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
