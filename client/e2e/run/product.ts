import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort, isPortFree } from '#scripts/product/ports.ts';

const GUARD = import.meta.resolve('#scripts/test/guard.mjs');

/** One address plays the parts of many visitors in a minute. */
const MANY_VISITORS = { RATE_LIMIT_PER_ADDRESS: '1000', RATE_LIMIT_OVERALL: '1000' };

/** The product as a newcomer has it running. */
export interface Product {
  siteUrl: string;
  mailboxUrl: string;
  /** All it printed so far. */
  output(): string;
  /** The payment sandbox, which stands in for Stripe. */
  sandboxUrl: string;
  /** Waits until it has printed some words so many times. */
  untilPrinted(words: string, times: number): Promise<void>;
  /** Presses Ctrl-C, and expects an orderly end that leaves nothing behind. */
  end(): Promise<void>;
}

/** Runs `npm start` or `npm run dev`, on ports and folders of its own. */
export async function startProduct(command: 'start' | 'dev', env: NodeJS.ProcessEnv = {}): Promise<Product> {
  await mkdir('.data', { recursive: true });
  const folder = await mkdtemp(join('.data', 'e2e-'));
  const ports = await freePorts();
  const launcher = spawn(process.execPath, ['scripts/bootstrap.mjs', command], {
    env: {
      ...process.env,
      ...ports,
      ...MANY_VISITORS,
      ...env,
      NODE_OPTIONS: `--import ${GUARD}`,
      DATA_FOLDER: folder,
      // `npm test` has built what is started; development builds are of another kind.
      BUILD_FOLDER: command === 'start' ? 'dist' : join(folder, 'build'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = collectLines(launcher);
  await lines.until('Ready.', 1);
  return {
    siteUrl: `http://127.0.0.1:${ports.PORT}`,
    mailboxUrl: `http://127.0.0.1:${ports.MAILBOX_PORT}`,
    sandboxUrl: `http://127.0.0.1:${ports.SANDBOX_PORT}`,
    output: lines.text,
    untilPrinted: lines.until,
    async end() {
      launcher.kill('SIGINT');
      const [code] = await once(launcher, 'exit');
      assert.equal(code, 0, lines.text());
      assert.doesNotMatch(lines.text(), /Unknown outgoing connection|Unexpected console\.error|Warning:/);
      for (const port of Object.values(ports))
        assert.ok(await isPortFree(Number(port)), `port ${port} is held`);
      await rm(folder, { recursive: true });
    },
  };
}

async function freePorts() {
  const port = async () => String(await findFreePort());
  return {
    PORT: await port(),
    OPS_PORT: await port(),
    WORKER_OPS_PORT: await port(),
    MAILBOX_PORT: await port(),
    MAILBOX_SMTP_PORT: await port(),
    SANDBOX_PORT: await port(),
    REDIS_PORT: await port(),
  };
}

function collectLines(process: ChildProcess) {
  const lines: string[] = [];
  const text = (): string => lines.join('\n');
  let check = (): void => {};
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      check();
    });
  }
  return {
    text,
    /** Fails with all that was said when the process ends first. */
    until: (words: string, times: number) =>
      new Promise<void>((resolve, reject) => {
        const fail = (): void => reject(new Error(`It ended before it said "${words}":\n${text()}`));
        process.once('exit', fail);
        check = () => {
          if (text().split(words).length <= times) return;
          process.off('exit', fail);
          resolve();
        };
        check();
      }),
  };
}
