import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '#scripts/drills/drill.ts';
import type { Load, LoadResult } from './load.ts';

const LOAD_PROCESS = fileURLToPath(new URL('./load.ts', import.meta.url));
/** The limit for the output of the load process, which contains one figure for each answer. */
const MOST_PRINTED_BYTES = 256 * 1024 * 1024;
const run = promisify(execFile);

/** What is measured, and whose CPU time counts. */
export interface Subject {
  name: string;
  load: Load;
  pid: number | undefined;
}

/** One round of a subject. Times are in milliseconds, except the CPU time of one request, in microseconds. */
interface Round {
  perSecond: number;
  cpuUs: number;
  p50: number;
  p99: number;
}

/** Medians of the rounds. */
export interface Figures extends Round {
  name: string;
  connections: number;
  statuses: Record<string, number>;
}

/** Measures the subjects in turn, several times, so that a disturbance of the machine falls on all of them. */
export async function measureRounds(subjects: readonly Subject[], rounds: number): Promise<Figures[]> {
  const results = new Map(
    subjects.map(({ name }) => [name, [] as (Round & { statuses: Figures['statuses'] })[]]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) results.get(subject.name)?.push(await measureOnce(subject));
  }
  return subjects.map(({ name, load }) => {
    const all = results.get(name) ?? [];
    const of = (key: keyof Round): number => median(all.map((one) => one[key]));
    return {
      name,
      connections: load.connections,
      perSecond: of('perSecond'),
      cpuUs: of('cpuUs'),
      p50: of('p50'),
      p99: of('p99'),
      statuses: all[0]?.statuses ?? {},
    };
  });
}

async function measureOnce({ load, pid }: Subject) {
  const before = cpuTimeUs(pid);
  const { perSecond, requests, timings, statuses } = await makeLoad(load);
  const cpuUs = (cpuTimeUs(pid) - before) / requests;
  return { perSecond, cpuUs, p50: quantile(timings, 0.5), p99: quantile(timings, 0.99), statuses };
}

/** Makes load from a process of its own. */
export async function makeLoad(load: Load): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', LOAD_PROCESS, JSON.stringify(load)], {
    maxBuffer: MOST_PRINTED_BYTES,
  });
  const result: LoadResult = JSON.parse(stdout);
  return result;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** Linux counts CPU time in hundredths of a second on every platform where Node runs. */
const TICK_US = 10_000;

/** CPU time that a process has used, in microseconds; not a number where /proc is missing. */
export function cpuTimeUs(pid: number | undefined): number {
  const fields = readProc(pid, 'stat')?.split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** Resident memory of a process, in megabytes. */
export function residentMb(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readProc(pid, 'status') ?? '') ?? [];
  return Number(kilobytes) / 1024;
}

function readProc(pid: number | undefined, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
