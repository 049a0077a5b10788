import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second wherever Node runs. */
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
