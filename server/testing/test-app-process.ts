import type { TestContext } from 'node:test';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import type { Child } from '#scripts/product/child.ts';
import { environmentOf, noLimits } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { type SandboxOptions, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { cleanUp } from './clean-up.ts';
import { testRedis } from './test-redis.ts';

/** The app as a process of its own. */
export interface AppProcess {
  siteUrl: string;
  child: Child;
  /** What it has written. */
  lines: readonly string[];
}

interface Extras {
  /** Any free one when left out. */
  port?: number;
  /** Further options of Node. */
  nodeArgs?: readonly string[];
}

/** The app as it is built, on a real Redis and with the payment sandbox: as many processes of it as a test wants. */
export async function prepareAppProcesses(t: TestContext, sandboxOptions: SandboxOptions = {}) {
  await buildWhenStale('production', 'dist');
  const redis = await testRedis(t);
  const { sandbox, stripe } = await startTestSandbox(t, sandboxOptions);
  return {
    redis,
    stripe,
    async start({ port, nodeArgs = [] }: Extras = {}): Promise<AppProcess> {
      const siteUrl = `http://127.0.0.1:${port ?? (await findFreePort())}`;
      const addresses = {
        siteUrl,
        redisUrl: redis.url,
        stripeUrl: sandbox.url,
        smtpUrl: 'smtp://127.0.0.1:9',
      };
      const env = { ...environmentOf(addresses, noLimits), OPS_PORT: String(await findFreePort()) };
      const lines: string[] = [];
      const onLine = (line: string) => void lines.push(line);
      const child = await startServer('app', { build: 'dist', env, nodeArgs, onLine }).catch((cause) => {
        throw new Error(lines.join('\n'), { cause });
      });
      cleanUp(t, () => child.stop());
      return { siteUrl, child, lines };
    },
  };
}

/** Node's arguments for code that runs before the app's own. */
export function ahead(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Sends a signal, and waits for the words with which the process answers it. */
export function signal({ child }: AppProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) throw new Error('The app does not run');
  process.kill(child.pid, name);
}
