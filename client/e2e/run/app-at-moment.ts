import { EventEmitter, once } from 'node:events';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { TestScope } from '#server/testing/clean-up.ts';

/** Starts the app of a build with the clock of a sandbox. Gives what moves that, and asks for the page then. */
export async function startAppAt(
  scope: TestScope,
  build: string,
  startsAt: Date,
): Promise<(moment: string) => Promise<string>> {
  const [sitePort, opsPort] = [await findFreePort(), await findFreePort()];
  const { sandbox } = await startTestSandbox(scope, { startsAt });
  const events = new EventEmitter();
  const app = await startServer('app', {
    build,
    env: {
      ...leastEnvironment,
      ...{ PAYMENTS: 'sandbox', STRIPE_API_BASE: sandbox.url, CLOCK: 'sandbox', REGISTRATION: 'auto' },
      ...{ HOST: '127.0.0.1', PORT: String(sitePort), OPS_PORT: String(opsPort) },
    },
    onLine: (line) => line.includes('The clock was moved') && events.emit('moved'),
  });
  scope.after(() => app.stop());
  return async (moment) => {
    const moved = once(events, 'moved');
    sandbox.clock.moveTo(new Date(moment));
    await moved;
    const page = await fetch(`http://127.0.0.1:${sitePort}`);
    return page.text();
  };
}
