/**
 * The processor time, in milliseconds, that this process spends on some work and on what it does meanwhile. Unlike the
 * time that passes, it hardly depends on what else the machine does.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
