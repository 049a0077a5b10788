import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const PROGRAM = fileURLToPath(new URL('./sink.ts', import.meta.url));
const addressSchema = v.object({ port: v.number() });

/** A mail server that runs elsewhere, so that its work is not counted as ours. */
export interface BenchSink {
  url: string;
  close(): Promise<void>;
}

/** Starts the mail server as a process. */
export async function startBenchSink(): Promise<BenchSink> {
  const child = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit');
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('The mail server did not start'))),
  ]);
  return {
    url: `smtp://127.0.0.1:${v.parse(addressSchema, message).port}`,
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
