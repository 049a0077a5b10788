import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { newRegistration } from './new-registration.ts';

/** The requests to send, again and again. */
export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Sent in turn, one with each request. */
  cookies?: readonly string[];
  connections: number;
  seconds: number;
  /** A fixed rate, however long answers take; without it each connection asks as soon as it has its answer. */
  perSecond?: number;
  /**
   * Answers in this time at the start are not timed: connections are being opened, and the load generator is
   * cold.
   */
  warmUpSeconds?: number;
  /** A body for each request, by its number; registrations must differ. */
  body?: (number: number) => Body;
}

interface Body {
  headers: Record<string, string>;
  text: string;
}

/** The result of a load. */
export interface LoadResult {
  perSecond: number;
  requests: number;
  /** Of the answers after the warm-up, in milliseconds. */
  timings: readonly number[];
  /** How many answers had which status. */
  statuses: Record<string, number>;
}

// Makes load in a process of its own: `load.ts LOAD`, with the load as JSON; prints the result as JSON.
const load: Load = JSON.parse(process.argv[2] ?? '');
const registers = new URL(load.url).pathname === CREATE_PAYMENT_PATH;
console.log(JSON.stringify(await runLoad(registers ? { ...load, body: newRegistration } : load)));

/** Sends the requests on keep-alive connections. */
async function runLoad(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const timings: number[] = [];
  const statuses: Record<string, number> = {};
  const warm = performance.now() + (load.warmUpSeconds ?? 0) * 1000;
  const end = performance.now() + load.seconds * 1000;
  let requests = 0;
  const askOnce = async (): Promise<void> => {
    requests += 1;
    const body = load.body?.(requests);
    const start = performance.now();
    const status = await ask(load, agent, {
      ...body,
      cookie: load.cookies?.[requests % load.cookies.length],
    });
    if (start >= warm) timings.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const visitor = async (): Promise<void> => {
    while (performance.now() < end) await askOnce();
  };
  if (load.perSecond) await arrive(askOnce, load.perSecond, end);
  else await Promise.all(Array.from({ length: load.connections }, visitor));
  agent.destroy();
  return { perSecond: requests / load.seconds, requests, timings, statuses };
}

/** Lets visitors come at an even pace, and waits until all are answered. */
async function arrive(visit: () => Promise<void>, perSecond: number, end: number): Promise<void> {
  const visits: Promise<void>[] = [];
  for (let due = performance.now(); due < end; due += 1000 / perSecond) {
    await pause(due - performance.now());
    visits.push(visit());
  }
  await Promise.all(visits);
}

function ask(
  { url, method = 'GET', headers }: Load,
  agent: Agent,
  body: Partial<Body> & { cookie: string | undefined },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, ...body.headers, ...(body.cookie && { Cookie: body.cookie }) };
    const asked = request(url, { method, agent, headers: all });
    asked.on('error', reject);
    asked.on('response', (answer: IncomingMessage) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.end(body.text);
  });
}
