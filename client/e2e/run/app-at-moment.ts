import { EventEmitter, once } from 'node:events';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareServer } from '#scripts/product/product.ts';
import { startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { TestScope } from '#server/testing/clean-up.ts';

/** Starts the app of a build with the clock of a sandbox. Gives what moves that, and asks for the page then. */
export async function startAppAt(
  scope: TestScope,
  build: string,
  startsAt: Date,
): Promise<(moment: string) => Promise<string>> {
  const { sandbox } = await startTestSandbox(scope, { startsAt });
  const events = new EventEmitter();
  const app = await prepareServer('app', {
    ...{ build, port: await findFreePort() },
    env: {
      ...{ ...leastEnvironment, HOST: '127.0.0.1', REGISTRATION: 'auto' },
      ...{ PAYMENTS: 'sandbox', STRIPE_API_BASE: sandbox.url, CLOCK: 'sandbox' },
    },
    onLine: (line) => line.includes('The clock was moved') && events.emit('moved'),
  });
  scope.after(app.stop);
  await app.start();
  return async (moment) => {
    const moved = once(events, 'moved');
    sandbox.clock.moveTo(new Date(moment));
    await moved;
    return (await fetch(app.siteUrl)).text();
  };
}
