import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import type { Child } from '#scripts/product/child.ts';
import { type Environment, environmentOf, noLimits } from '#scripts/product/environment.ts';
import { type ServerName, startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { type SandboxOptions, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { testRedis } from './test-redis.ts';

/** The app in its own process. */
export interface AppProcess {
  siteUrl: string;
  opsUrl: string;
  child: Child;
  /** The lines that it has written. */
  lines: readonly string[];
}

interface Extras {
  /** The app by default. */
  name?: ServerName;
  /** Any free port by default. */
  port?: number;
  /** Variables that differ from the usual ones. */
  env?: Environment;
  /** Further options of Node. */
  nodeArgs?: readonly string[];
}

/** The production build: the one that `npm test` made, built again only if it is stale. */
async function usualBuild(): Promise<string> {
  await buildWhenStale('production', 'dist');
  return 'dist';
}

/** A copy of that build whose edition has a number of places: in a build the content is separate from the programs. */
export async function buildWithPlaces(t: TestScope, places: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'build-'));
  cleanUp(t, () => rm(folder, { recursive: true }));
  await cp(await usualBuild(), folder, { recursive: true });
  await appendFile(join(folder, 'content/on-sale/facts.js'), `facts.places = ${places};\n`);
  return folder;
}

/** A real Redis and the payment sandbox, on which the test starts as many processes of the built app as it wants. */
export async function prepareAppProcesses(
  t: TestScope,
  sandboxOptions: SandboxOptions = {},
  ownBuild?: string,
) {
  const build = ownBuild ?? (await usualBuild());
  const redis = await testRedis(t);
  const { sandbox, stripe } = await startTestSandbox(t, sandboxOptions);
  return {
    redis,
    sandbox,
    stripe,
    async start({ name = 'app', port, nodeArgs = [], env: changes }: Extras = {}): Promise<AppProcess> {
      const siteUrl = `http://127.0.0.1:${port ?? (await findFreePort())}`;
      const addresses = {
        siteUrl,
        redisUrl: redis.url,
        stripeUrl: sandbox.url,
        smtpUrl: 'smtp://127.0.0.1:9',
      };
      const opsPort = await findFreePort();
      const env = {
        ...environmentOf(addresses, { ...noLimits, ...changes }),
        OPS_PORT: String(opsPort),
      };
      const lines: string[] = [];
      const onLine = (line: string) => void lines.push(line);
      const child = await startServer(name, { build, env, nodeArgs, onLine }).catch((cause) => {
        throw new Error(lines.join('\n'), { cause });
      });
      cleanUp(t, () => child.stop());
      return { siteUrl, opsUrl: `http://127.0.0.1:${opsPort}`, child, lines };
    },
  };
}

/** Node's arguments for code that runs before the app's own. */
export function ahead(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Sends a signal to the app's process. */
export function signal({ child }: AppProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) throw new Error('The app does not run');
  process.kill(child.pid, name);
}
