import { execFile } from 'node:child_process';
import { appendFile, cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import {
  type Environment,
  environmentOf,
  NO_MAIL_SERVER,
  noLimits,
  registerIn,
} from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareServer, type Server, type ServerName } from '#scripts/product/product.ts';
import { type SandboxOptions, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { cleanUp, type TestScope, testFolder } from './clean-up.ts';
import { testRedis } from './test-redis.ts';

interface Extras {
  name?: ServerName;
  env?: Environment;
  nodeArgs?: readonly string[];
}

/** The production build: the one that `npm test` made, built again only if it is stale. */
async function usualBuild(): Promise<string> {
  await buildWhenStale('production', 'dist');
  return 'dist';
}

/** A copy of that build whose edition has a number of places: in a build the content is separate from the programs. */
export async function buildWithPlaces(t: TestScope, places: number): Promise<string> {
  const folder = await testFolder(t, 'build');
  await cp(await usualBuild(), folder, { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await appendFile(join(folder, 'content/on-sale.js'), `facts.places = ${places};\n`);
  return folder;
}

/** A real Redis and the payment sandbox, on which the test starts as many processes of the built app as it wants. */
export async function prepareAppProcesses(
  t: TestScope,
  sandboxOptions: SandboxOptions = {},
  ownBuild?: string,
) {
  const build = ownBuild ?? (await usualBuild());
  const databaseUrl = registerIn(await testFolder(t, 'register'));
  const redis = await testRedis(t);
  const { sandbox, stripe } = await startTestSandbox(t, sandboxOptions);
  return {
    databaseUrl,
    redis,
    sandbox,
    stripe,
    async start({ name = 'app', nodeArgs = [], env: changes }: Extras = {}): Promise<Server> {
      const port = await findFreePort();
      const addresses = { redisUrl: redis.url, stripeUrl: sandbox.url, smtpUrl: NO_MAIL_SERVER };
      const siteUrl = `http://127.0.0.1:${port}`;
      const env = environmentOf({ siteUrl, databaseUrl, ...addresses }, { ...noLimits, ...changes });
      const server = await prepareServer(name, { build, env, port, nodeArgs });
      cleanUp(t, server.stop);
      await server.start();
      return server;
    },
  };
}

export function signal({ pid }: Server, name: NodeJS.Signals): void {
  if (pid === undefined) throw new Error('The app does not run');
  process.kill(pid, name);
}

/** How a process ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

const TIMEOUT_MS = 120_000;

let built: Promise<void> | undefined;

/** Runs support's built program in its own process, which costs as much CPU as ten commands in this one. */
export async function runSupport(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Ended> {
  built ??= buildWhenStale('production', 'dist');
  await built;
  return runNode(['dist/support.js', ...words], env);
}

/** Runs a program with Node; a program that does not end is killed, and its exit code is then -1. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const options = { env: { PATH: process.env.PATH, ...env }, timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err });
    });
  });
}
