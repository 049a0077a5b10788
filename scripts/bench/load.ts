import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** What is asked for, over and over. */
export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  connections: number;
  seconds: number;
  /** So many a second, however long answers take; without it each connection asks as soon as it has its answer. */
  perSecond?: number;
  /** A body for each request, by its number; registrations must differ. */
  body?: (number: number) => { headers: Record<string, string>; text: string };
}

/** How it went. Milliseconds. */
export interface LoadResult {
  perSecond: number;
  p50: number;
  p99: number;
  requests: number;
  /** How many answers had which status. */
  statuses: Record<string, number>;
}

/** Asks on kept connections. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const end = performance.now() + load.seconds * 1000;
  let number = 0;
  const askOnce = async (): Promise<void> => {
    number += 1;
    const start = performance.now();
    const status = await ask(load, agent, number);
    latencies.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const visitor = async (): Promise<void> => {
    while (performance.now() < end) await askOnce();
  };
  if (load.perSecond) await arrive(askOnce, load.perSecond, end);
  else await Promise.all(Array.from({ length: load.connections }, visitor));
  agent.destroy();
  latencies.sort((one, other) => one - other);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  const perSecond = latencies.length / load.seconds;
  return { perSecond, p50: quantile(0.5), p99: quantile(0.99), requests: latencies.length, statuses };
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

function ask({ url, method = 'GET', headers, body }: Load, agent: Agent, number: number): Promise<number> {
  const sent = body?.(number);
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent, headers: { ...headers, ...sent?.headers } });
    asked.on('error', reject);
    asked.on('response', (answer: IncomingMessage) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.end(sent?.text);
  });
}
