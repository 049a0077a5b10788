import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { appendFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as v from 'valibot';
import { freeStartPorts, isPortFree } from '#scripts/product/ports.ts';

const GUARD = import.meta.resolve('#scripts/test/guard.mjs');

const MANY_VISITORS = { RATE_LIMIT_PER_ADDRESS: '1000', RATE_LIMIT_OVERALL: '1000' };

/** The variable that tells test files of a product that `npm test` runs for all of them. */
const SHARED = 'E2E_PRODUCT';
const ENDED = 'The launcher ended';

const addressesSchema = v.object({
  siteUrl: v.string(),
  opsUrl: v.string(),
  mailboxUrl: v.string(),
  sandboxUrl: v.string(),
  redisUrl: v.string(),
  outputFile: v.string(),
});

export type Product = ReturnType<typeof productAt>;

/**
 * Runs `npm start` or `npm run dev`, on ports and folders of its own.
 * @param project where the sources are
 */
export async function startProduct(command: 'start' | 'dev', env: NodeJS.ProcessEnv = {}, project = '.') {
  await mkdir(join(project, '.data'), { recursive: true });
  const dataFolder = await mkdtemp(join(project, '.data', 'e2e-'));
  const folder = relative(project, dataFolder);
  const { ports, env: portsEnv } = await freeStartPorts();
  const outputFile = join(dataFolder, 'output.log');
  const output = await open(outputFile, 'a');
  const launcher = spawn(process.execPath, ['scripts/bootstrap.mjs', command], {
    cwd: project,
    env: {
      ...process.env,
      ...portsEnv,
      ...MANY_VISITORS,
      NODE_OPTIONS: `--import ${GUARD}`,
      DATA_FOLDER: folder,
      // `npm test` has built what is started; development builds are of another kind.
      BUILD_FOLDER: command === 'start' ? 'dist' : join(folder, 'build'),
      ...env,
    },
    stdio: ['ignore', output.fd, output.fd],
  });
  await output.close();
  const ended = once(launcher, 'exit').then(async ([code]) => {
    await appendFile(outputFile, `\n${ENDED} with ${code}\n`);
    return code;
  });
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const product = productAt({
    siteUrl: at(ports.PORT),
    opsUrl: at(ports.OPS_PORT),
    mailboxUrl: at(ports.MAILBOX_PORT),
    sandboxUrl: at(ports.SANDBOX_PORT),
    redisUrl: `redis://127.0.0.1:${ports.REDIS_PORT}`,
    outputFile,
  });
  await product.untilPrinted('Ready.', 1);
  return {
    ...product,
    async end(): Promise<void> {
      launcher.kill('SIGINT');
      assert.equal(await ended, 0, product.output());
      assert.doesNotMatch(product.output(), /Unknown outgoing connection|Unexpected console\.error|Warning:/);
      for (const port of Object.values(ports)) assert.ok(await isPortFree(port), `port ${port} is held`);
      await rm(dataFolder, { recursive: true });
    },
  };
}

export function sharedProduct(): Product | undefined {
  const addresses = process.env[SHARED];
  return addresses === undefined ? undefined : productAt(v.parse(addressesSchema, JSON.parse(addresses)));
}

function productAt(addresses: v.InferOutput<typeof addressesSchema>) {
  const output = () => readFileSync(addresses.outputFile, 'utf8');
  return {
    ...addresses,
    output,
    /** Waits until it has printed some words so many times. Fails with all that was printed when it ends first. */
    untilPrinted: (words: string, times: number) =>
      new Promise<void>((resolve, reject) => {
        const check = (): void => {
          const text = output();
          const printed = text.split(words).length > times;
          if (!printed && !text.includes(ENDED)) return;
          watcher.close();
          if (printed) resolve();
          else reject(new Error(`It ended before it said "${words}":\n${text}`));
        };
        const watcher = watch(addresses.outputFile, check);
        check();
      }),
  };
}

/** Starts the product that most suites look at: to start it for each would cost more than some of them do. */
export default async function startSharedProduct(): Promise<() => Promise<void>> {
  const product = await startProduct('start');
  process.env[SHARED] = JSON.stringify(v.parse(addressesSchema, product));
  return product.end;
}
