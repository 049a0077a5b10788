import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { build } from '#scripts/build/build.ts';
import { type AppProcess, type AppProcessOptions, startApp } from '#scripts/drills/abuse/app-process.ts';
import type { SandboxOptions } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { startTestSandbox } from '#scripts/stripe-sandbox/test-sandbox.ts';
import { cleanUp } from './clean-up.ts';
import { testRedis } from './test-redis.ts';

type Extras = Pick<AppProcessOptions, 'port' | 'nodeArgs'>;

/** The app as it is built, on a real Redis and with the payment sandbox: as many processes of it as a test wants. */
export async function prepareAppProcesses(t: TestContext, sandboxOptions: Partial<SandboxOptions> = {}) {
  const folder = await buildFor(t);
  const redis = await testRedis(t);
  const { sandbox, stripe } = await startTestSandbox(t, sandboxOptions);
  return {
    redis,
    stripe,
    async start(extras: Extras = {}): Promise<AppProcess> {
      const app = await startApp({ build: folder, redisUrl: redis.url, stripeUrl: sandbox.url, ...extras });
      cleanUp(t, () => app.child.stop());
      return app;
    },
  };
}

/** Within the project, where Node finds the packages. */
async function buildFor(t: TestContext): Promise<string> {
  await mkdir('.data', { recursive: true });
  const folder = join(process.cwd(), await mkdtemp(join('.data', 'app-')));
  cleanUp(t, () => rm(folder, { recursive: true, force: true }));
  await build('production', folder);
  return folder;
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
