import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { postUntilAnswered } from '#client/registration/payment/http-client.ts';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { startCaddy } from '#scripts/product/caddy.ts';
import { NO_MAIL_SERVER, noLimits } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { signal } from '#server/testing/processes.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { register } from '#server/testing/test-site.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

describe('a rolling restart under load', () => {
  const CLIENTS = 8;

  for (const { name, drainSeconds, appCount, registering } of [
    { name: 'two apps that drain lose no request', drainSeconds: 3, appCount: 2, registering: register },
    {
      name: 'a single app loses no request that the page does not send again',
      drainSeconds: 0,
      appCount: 1,
      registering: registerAsPage,
    },
  ]) {
    test(`${name}, behind the proxy that the operations guide shows`, async (t) => {
      await buildWhenStale('production', 'dist');
      const port = await findFreePort();
      const siteUrl = `http://127.0.0.1:${port}`;
      const product = await prepareProduct({
        sandbox: await startSandbox(),
        mailServer: { url: NO_MAIL_SERVER },
        env: { ...noLimits, PUBLIC_URL: siteUrl, DRAIN_SECONDS: `${drainSeconds}`, TRUST_PROXY: '1' },
      });
      cleanUp(t, product.close);
      await product.start();
      const apps = [product.app];
      while (apps.length < appCount) apps.push(await product.another('app'));
      for (const app of apps.slice(1)) {
        await app.start();
        cleanUp(t, () => app.stop());
      }
      const caddy = await startCaddy({
        ...{ port, siteName: '127.0.0.1', folder: await testFolder(t, 'caddy') },
        sites: apps.map((app) => new URL(app.siteUrl).host),
        ops: apps.map((app) => new URL(app.opsUrl).host),
      });
      cleanUp(t, () => caddy.stop());
      const load = startLoad(siteUrl, CLIENTS, registering);
      await load.until(50);
      for (const app of apps) {
        signal(app, 'SIGTERM');
        assert.equal(await app.ended, 'ended with exit code 0');
        const before = app.lines.length;
        await app.start();
        const isFound = () => app.lines.slice(before).some((line) => line.includes('"request completed"'));
        // The next app is replaced only after the proxy has found this one.
        while (!isFound()) await delay(5);
      }
      const { answered, problems } = await load.end();
      t.diagnostic(`${answered} requests answered`);
      assert.deepEqual(problems, []);
    });
  }
});

/** Registers as the page does, which resends a request that was lost together with the process that had it. */
async function registerAsPage(url: string): Promise<Response> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const json = { ...contactStep, email: `${randomUUID()}@visitors.example`, timeZone: 'Asia/Kolkata' };
  return Response.json(await postUntilAnswered(`${url}${CREATE_PAYMENT_PATH}`, { headers, json }));
}

/** The pause between two requests of a client. */
const PAUSE_MS = 100;

/** Clients that look at the page, load files and register, each one thing after the other. */
function startLoad(url: string, clients: number, registering: (url: string) => Promise<Response>) {
  const problems: string[] = [];
  let answered = 0;
  let over = false;
  const things = [
    () => fetch(`${url}/`),
    () => fetch(`${url}/favicon.svg`),
    () => registering(url),
    () => fetch(`${url}/retreat.ics`),
  ];
  const visit = async (): Promise<void> => {
    for (let step = 0; !over; step += 1) {
      await delay(PAUSE_MS);
      try {
        const response = await things[step % things.length]?.();
        await response?.arrayBuffer();
        if (response?.status === 200) answered += 1;
        else problems.push(`Step ${step}: ${response?.status}`);
      } catch (error) {
        problems.push(`Step ${step}: ${error}`);
      }
    }
  };
  const visits = Array.from({ length: clients }, visit);
  return {
    async until(count: number): Promise<void> {
      while (answered < count) await delay(5);
    },
    async end() {
      over = true;
      await Promise.all(visits);
      return { answered, problems };
    },
  };
}
