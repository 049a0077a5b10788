import { opsCredentials } from '#scripts/product/environment.ts';
import type { Product } from '#scripts/product/product.ts';
import { COUNTED_IN_MEMORY } from '#server/registration/registration-limits.ts';

/**
 * The metrics of an app or a worker, as Prometheus reads them.
 * @throws {Error} when they are not answered
 */
export async function readMetricsText(opsUrl: string, password = opsCredentials.password): Promise<string> {
  const credentials = Buffer.from(`${opsCredentials.user}:${password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, Connection: 'close' };
  const answer = await fetch(`${opsUrl}/metrics`, { headers });
  if (!answer.ok) throw new Error(`The metrics at ${opsUrl} were answered with ${answer.status}`);
  return answer.text();
}

/** Reads the metrics once; returns the value of each by its name. */
export async function readMetrics(opsUrl: string, password?: string): Promise<(name: string) => number> {
  const text = await readMetricsText(opsUrl, password);
  return (name) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

/**
 * How often the apps gave up on Redis and counted in their own memory: then limits may be weaker than usual. They log the
 * failure, and count the registrations that follow it.
 */
export async function countsInMemory({ apps, lines }: Pick<Product, 'apps' | 'lines'>): Promise<number> {
  const metrics = await Promise.all(apps.map(({ opsUrl }) => readMetrics(opsUrl)));
  const counts = metrics.map((metric) => metric('registrations_counted_in_memory_total'));
  return counts.reduce(
    (sum, count) => sum + count,
    lines.filter((line) => line.includes(COUNTED_IN_MEMORY)).length,
  );
}
