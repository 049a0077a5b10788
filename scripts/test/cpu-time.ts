import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts time in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10;

interface ProcessTimes {
  parent: number;
  /** Of the process and of its children that have ended. */
  cpuMs: number;
}

/**
 * The processor time, in milliseconds, that this process and all that it started have used so far. A process that has
 * ended counts once its parent has waited for it. Elsewhere than on Linux it is the time of this process alone.
 */
export function cpuTimeOfTree(): number {
  const times = processTimes();
  const own = times.get(process.pid);
  if (!own) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  let total = 0;
  for (const [pid, { cpuMs }] of times) if (isBelow(pid, times)) total += cpuMs;
  return total;
}

function isBelow(pid: number, times: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = times.get(at)?.parent)
    if (at === process.pid) return true;
  return false;
}

function processTimes(): Map<number, ProcessTimes> {
  const times = new Map<number, ProcessTimes>();
  for (const name of listed('/proc')) {
    const read = /^\d+$/.test(name) ? timesOf(name) : undefined;
    if (read) times.set(Number(name), read);
  }
  return times;
}

function timesOf(pid: string): ProcessTimes | undefined {
  try {
    // Fields 4 and 14 to 17 of proc_pid_stat(5); the second, the name, may contain anything but ends with the last `)`.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const cpuMs = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
    return { parent: fields[1] ?? 0, cpuMs };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
