import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { nodeOptions } from '#scripts/product/node-program.ts';

const PROGRAM = fileURLToPath(new URL('./stripe-process.ts', import.meta.url));
const addressSchema = v.object({ url: v.string() });
const timesSchema = v.object({ times: v.record(v.string(), v.number()) });

/** A payment sandbox that runs elsewhere, so that its work is not counted as ours. */
export interface BenchStripe {
  url: string;
  /** How long it took over the registrations since it was last asked, in milliseconds, by their idempotency keys. */
  takeTimes(): Promise<Record<string, number>>;
}

/** Starts the sandbox as a process, which ends with this one. */
export async function startBenchStripe(): Promise<BenchStripe> {
  const child = fork(PROGRAM, { execArgv: ['--import', 'tsx', ...nodeOptions] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The payment sandbox ended')));
  const next = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0];
  const { url } = v.parse(addressSchema, await next());
  return {
    url,
    async takeTimes() {
      child.send('times');
      return v.parse(timesSchema, await next()).times;
    },
  };
}
