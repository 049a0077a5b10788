import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { cleanUp, type TestScope } from '#server/testing/clean-up.ts';
import { REFUSED_FOR_GOOD, startMailServer } from '#server/testing/test-mailing.ts';
import { watchQuiet } from '#server/testing/watch-quiet.ts';
import { isRefusedAddress, makeOfficeWorld } from './office-world.ts';

const QUIET_WITHIN_MS = 120_000;

/** The office's world and the product, running. */
export type OpenOffice = Awaited<ReturnType<typeof openOffice>>;

/**
 * Runs the built product on the office's day, with the sandbox's clock. When this resolves, its worker has done what is
 * due, and has sent what could be sent.
 */
export async function openOffice(t: TestScope) {
  await buildWhenStale('production', 'dist');
  const world = await makeOfficeWorld(t);
  const { url, setWebhookUrl } = world.sandbox;
  const mailServer = await startMailServer(t);
  mailServer.refuse(REFUSED_FOR_GOOD, isRefusedAddress);
  const product = await prepareProduct({
    sandbox: { url, setWebhookUrl },
    mailServer: { url: mailServer.url },
    // In production the product refuses a clock that can be moved.
    env: {
      ...noLimits,
      NODE_ENV: 'development',
      CLOCK: 'sandbox',
      REGISTRATION: 'auto',
      DATABASE_URL: world.databaseUrl,
    },
  });
  cleanUp(t, product.close);
  const since = world.sandbox.clock.now();
  await product.start();
  const quiet = watchQuiet(product);
  const isQuiet = await quiet.until(since, QUIET_WITHIN_MS);
  await quiet.close();
  if (!isQuiet) throw new Error('The worker did not come to rest');
  return { ...world, ...product, mailServer };
}
