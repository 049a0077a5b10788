import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { opsCredentials } from '#scripts/product/environment.ts';
import type { FaultKind, Happened } from './stage/storm.ts';

const TIMEOUT_MS = 60_000;

/** What a look found to be wrong. */
export interface Failure {
  atMs: number;
  what: string;
}

/**
 * Somebody looks at something again and again until it is over: a look says what is wrong, or nothing.
 * @returns how often all was well, and what was wrong
 */
export async function watch(
  look: () => Promise<string>,
  everyMs: number,
  over: AbortSignal,
): Promise<{ served: number; failures: Failure[] }> {
  const failures: Failure[] = [];
  let served = 0;
  while (!over.aborted) {
    const atMs = Date.now();
    const what = await look().catch((error: Error) => String(error.cause ?? error));
    if (what === '') served += 1;
    else failures.push({ atMs, what });
    await pause(everyMs, undefined, { signal: over }).catch(() => {});
  }
  return { served, failures };
}

/** What was wrong, unless it is `what` within `aroundMs` of some kinds of faults. */
export function unexplained(
  failures: readonly Failure[],
  faults: readonly Happened[],
  explains: { kinds: readonly FaultKind[]; aroundMs: number; what?: string },
): string[] {
  const { kinds, aroundMs, what } = explains;
  const isExplained = (failure: Failure): boolean =>
    (what === undefined || failure.what === what) &&
    faults.some(
      (fault) =>
        kinds.includes(fault.kind) &&
        fault.fromMs - aroundMs <= failure.atMs &&
        failure.atMs <= fault.untilMs + aroundMs,
    );
  return failures
    .filter((failure) => !isExplained(failure))
    .map((failure) => `${failure.what} at ${new Date(failure.atMs).toISOString()}`);
}

/** A look at the page, over a connection of its own. */
export async function lookAtPage(siteUrl: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  const page = await fetch(siteUrl, { headers: { Connection: 'close' }, signal });
  const isWhole = (await page.text()).endsWith('</html>');
  return page.status === 200 && isWhole
    ? ''
    : `The page was answered ${page.status}${isWhole ? '' : ', torn'}`;
}

/** The memory of a process in MiB, resident or the most that ever was; not a number where /proc is missing. */
export function memoryMb(pid: number | undefined, which: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(readProc(pid, 'status'))?.[1]) / 1024;
}

/** A file of the system about a process; empty where /proc is missing. */
export function readProc(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Reads the metrics of an app or a worker once, as Prometheus does; returns the sum of a metric's values, whatever their
 * labels are.
 * @throws {Error} when they are not answered
 */
export async function readMetrics(opsUrl: string): Promise<(metric: string) => number> {
  const { user, password } = opsCredentials;
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, Connection: 'close' };
  const answer = await fetch(`${opsUrl}/metrics`, { headers });
  if (!answer.ok) throw new Error(`The metrics at ${opsUrl} were answered with ${answer.status}`);
  const lines = (await answer.text()).split('\n');
  return (metric) =>
    lines
      .filter((line) => line.startsWith(metric))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
