import { readMetricsText } from '#scripts/drills/app-metrics.ts';

/** How many calls were answered, by process and operation. */
type Calls = Record<string, number>;

/** The calls to Stripe that the processes have made since they started, according to their metrics. */
export async function callsTo(appOpsUrls: readonly string[], workerOpsUrl: string): Promise<Calls> {
  const calls: Calls = {};
  const read = async (name: string, url: string): Promise<void> => {
    const text = await readMetricsText(url);
    for (const [, operation, count] of text.matchAll(
      /^stripe_call_duration_seconds_count\{.*operation="([^"]+)".*\} (\d+)$/gm,
    )) {
      const key = `${name}: ${operation}`;
      calls[key] = (calls[key] ?? 0) + Number(count);
    }
  };
  await Promise.all(appOpsUrls.map((url) => read('app', url)));
  await read('worker', workerOpsUrl);
  return calls;
}

/** The calls between two counts, divided by `many`. */
export function difference(after: Calls, before: Calls, many: number): Calls {
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [
      name,
      Number(((count - (before[name] ?? 0)) / many).toFixed(2)),
    ]),
  );
}
