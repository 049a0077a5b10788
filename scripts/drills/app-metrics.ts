import { opsCredentials } from '#scripts/product/environment.ts';

/** Reads the metrics of an app once; returns the value of each by its name. */
export async function readMetrics(
  opsUrl: string,
  password = opsCredentials.password,
): Promise<(name: string) => number> {
  const credentials = Buffer.from(`${opsCredentials.user}:${password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, Connection: 'close' };
  const text = await (await fetch(`${opsUrl}/metrics`, { headers })).text();
  return (name) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}
