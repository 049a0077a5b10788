import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The kernel counts time in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10;

/**
 * The processor time, in milliseconds, that this process and all that it started have used so far. A process that has
 * ended counts once its parent has waited for it. Elsewhere than on Linux it is the time of this process alone.
 */
export function cpuTimeOfTree(): number {
  const times = processTimes();
  if (!times.has(process.pid)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  const isBelow = (pid = 0): boolean =>
    pid === process.pid || (times.has(pid) && isBelow(times.get(pid)?.parent));
  return [...times].reduce((sum, [pid, { cpuMs }]) => sum + (isBelow(pid) ? cpuMs : 0), 0);
}

/** The parent of each process, and the time of it and of its children that have ended. */
function processTimes(): Map<number, { parent: number; cpuMs: number }> {
  const times = new Map<number, { parent: number; cpuMs: number }>();
  for (const pid of existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Boolean) : []) {
    try {
      // Fields 4 and 14 to 17 of proc_pid_stat(5); the second, the name, may contain anything but ends with the last `)`.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      times.set(pid, { parent: Number(fields[1]), cpuMs: ticks * TICK_MS });
    } catch {
      // It has ended meanwhile.
    }
  }
  return times;
}
