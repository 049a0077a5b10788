import { connectRaw } from '#server/testing/raw-client.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

const DRIP_MS = 500;
const HEAD = 'GET / HTTP/1.1\r\nHost: here\r\n';
const BODY = `POST ${CREATE_PAYMENT_PATH} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{`;

/** What slow clients do not finish. */
export type Slowness = 'silence' | 'head' | 'body';

const BEGINNINGS: Record<Slowness, readonly [first: string, drop: string]> = {
  silence: ['', ''],
  head: [HEAD, 'X-Drip: 1\r\n'],
  body: [BODY, ' '],
};

/** How slow clients fared. */
export interface SlowResult {
  slowness: Slowness;
  count: number;
  /** Of those that got 408. */
  refused: number;
  /** Until the last one was cut off. */
  seconds: number;
}

/** Clients that send a little now and then and never finish; resolves when the server has cut off all of them. */
export async function beSlow(url: string, slowness: Slowness, count: number): Promise<SlowResult> {
  const startMs = performance.now();
  const statuses = await Promise.all(Array.from({ length: count }, () => drip(url, slowness)));
  return {
    slowness,
    count,
    refused: statuses.filter((status) => status === 408).length,
    seconds: (performance.now() - startMs) / 1000,
  };
}

async function drip(url: string, slowness: Slowness): Promise<number | undefined> {
  const [first, drop] = BEGINNINGS[slowness];
  const client = await connectRaw(url);
  client.send(first);
  const timer = setInterval(() => client.send(drop), DRIP_MS);
  const { status } = await client.closed();
  clearInterval(timer);
  return status;
}
