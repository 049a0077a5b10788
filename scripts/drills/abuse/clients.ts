import { connectRaw } from '#server/testing/raw-client.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import type { Attack, Outcome } from './attack.ts';

/** Longer than the server's timeout for a request's head. */
const TIMEOUT_MS = 60_000;

/** What came back, or that no answer came within the timeout. */
export interface Answer {
  outcome: Outcome | 'no answer';
  text: string;
}

/** Sends one hostile request over a connection of its own. */
export async function sendAttack(url: string, { bytes, ending = 'reads' }: Attack): Promise<Answer> {
  const client = await connectRaw(url);
  const { socket } = client;
  const late = setTimeout(() => socket.destroy(new Error('late')), TIMEOUT_MS);
  let cut = false;
  socket.once('error', (error) => {
    cut = error.message === 'late';
  });
  client.send(bytes);
  if (ending === 'hangs-up') socket.destroySoon();
  if (ending === 'stops-sending') socket.end();
  const { status, text } = await client.closed();
  clearTimeout(late);
  return { outcome: cut ? 'no answer' : (status ?? 'closed'), text };
}

const DRIP_MS = 500;
const HEAD = 'GET / HTTP/1.1\r\nHost: here\r\n';
const BODY = `POST ${CREATE_PAYMENT_PATH} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{`;

/** The part of a request that slow clients do not finish. */
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
  /** How many of them got 408. */
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
