import { opsCredentials } from '#scripts/product/environment.ts';

/**
 * The metrics of an app or a worker, as Prometheus reads them.
 * @throws {Error} when they are not answered
 */
export async function readMetricsText(opsUrl: string): Promise<string> {
  const { user, password } = opsCredentials;
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, Connection: 'close' };
  const answer = await fetch(`${opsUrl}/metrics`, { headers });
  if (!answer.ok) throw new Error(`The metrics at ${opsUrl} were answered with ${answer.status}`);
  return answer.text();
}

/** Reads the metrics once; returns the value of each by its name. */
export async function readMetrics(opsUrl: string): Promise<(name: string) => number> {
  const text = await readMetricsText(opsUrl);
  return (name) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}
