/** What it took to send some mails. */
export interface Measured {
  perSecond: number;
  /** Of this process alone, all its threads. */
  cpuMsPerMail: number;
}

/** Measures some work that sends so many mails. */
export async function measure(mails: number, work: () => Promise<unknown>): Promise<Measured> {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(startCpu);
  const seconds = (performance.now() - startMs) / 1000;
  return { perSecond: mails / seconds, cpuMsPerMail: (user + system) / 1000 / mails };
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [below = 0, above = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (below + above) / 2;
}
