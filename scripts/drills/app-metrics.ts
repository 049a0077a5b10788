import { opsCredentials } from '#scripts/product/environment.ts';

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
