import { opsCredentials } from '#scripts/product/environment.ts';

/** How many calls were answered, by process and operation. */
type Calls = Record<string, number>;

const { user, password } = opsCredentials;
const headers = { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };

/** What the processes have asked Stripe since they began, as their metrics tell. */
export async function callsTo(appOpsUrls: readonly string[], workerOpsUrl: string): Promise<Calls> {
  const calls: Calls = {};
  const read = async (name: string, url: string): Promise<void> => {
    const answer = await fetch(`${url}/metrics`, { headers });
    if (!answer.ok) throw new Error(`The metrics of the ${name} were answered with ${answer.status}`);
    const text = await answer.text();
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

/** What was asked meanwhile, for one of so many. */
export function difference(after: Calls, before: Calls, many: number): Calls {
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [
      name,
      Number(((count - (before[name] ?? 0)) / many).toFixed(2)),
    ]),
  );
}
