import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Load, LoadResult } from './load.ts';
import { cpuTimeUs } from './process-figures.ts';

const LOAD_PROCESS = fileURLToPath(new URL('./load-process.ts', import.meta.url));
const run = promisify(execFile);

/** What is measured, and whose CPU time counts. */
export interface Subject {
  name: string;
  load: Load;
  pid: number | undefined;
}

/** Medians of the rounds. */
export interface Figures extends Omit<LoadResult, 'requests'> {
  name: string;
  connections: number;
  cpuUs: number;
}

/** Measures the subjects in turn, several times, so that a disturbance of the machine falls on all of them. */
export async function measureRounds(subjects: readonly Subject[], rounds: number): Promise<Figures[]> {
  const results = new Map(subjects.map(({ name }) => [name, [] as (LoadResult & { cpuUs: number })[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) results.get(subject.name)?.push(await measureOnce(subject));
  }
  return subjects.map(({ name, load }) => {
    const all = results.get(name) ?? [];
    const of = (key: 'perSecond' | 'p50' | 'p99' | 'cpuUs'): number => median(all.map((one) => one[key]));
    const statuses = all[0]?.statuses ?? {};
    const figures = { perSecond: of('perSecond'), cpuUs: of('cpuUs'), p50: of('p50'), p99: of('p99') };
    return { name, connections: load.connections, ...figures, statuses };
  });
}

async function measureOnce({ load, pid }: Subject): Promise<LoadResult & { cpuUs: number }> {
  const before = cpuTimeUs(pid);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', LOAD_PROCESS, JSON.stringify(load)]);
  const result: LoadResult = JSON.parse(stdout);
  return { ...result, cpuUs: (cpuTimeUs(pid) - before) / result.requests };
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
