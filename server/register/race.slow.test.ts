import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { buildWithPlaces, prepareAppProcesses } from '#server/testing/processes.ts';
import { openTestDatabase } from '#server/testing/test-database.ts';
import { askForDueWork } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { createPlaces } from './places.ts';

const PLACES = 10;
const VISITORS = 200;
const facts = { ...edition.facts, places: PLACES };
const LOOK_AGAIN_MS = 20;
const PRESS_AGAIN_MS = 50;

/** How far a visitor came. */
type Outcome = 'refused' | 'gave up' | 'paid';

/** Two built apps and a built worker, for an edition with ten places, none of them taken yet. */
async function openRace(t: TestContext) {
  let atFirstIntent = () => {};
  const processes = await prepareAppProcesses(
    t,
    {
      startsAt: new Date(edition.tryOutFrom),
      redeliveryDelaysMs: [200, 400, 800],
      intercept({ method, path }) {
        if (method !== 'POST' || path !== '/v1/payment_intents') return undefined;
        atFirstIntent();
        atFirstIntent = () => {};
        return undefined;
      },
    },
    await buildWithPlaces(t, PLACES),
  );
  const env = { NODE_ENV: '', CLOCK: 'sandbox', TRUST_PROXY: '1' };
  const [first, second] = await Promise.all([
    processes.start({ env }),
    processes.start({ env }),
    processes.start({ env, name: 'worker' }),
  ]);
  processes.sandbox.setWebhookUrl(`${first.siteUrl}/webhooks/stripe`);
  const database = openTestDatabase(t, processes.databaseUrl);
  const payments = { cancelUnpaid: () => assert.fail('only the product closes payments') };
  const places = createPlaces({ database, payments, now: () => new Date(processes.sandbox.clock.now()) });
  const apps = [first, second];
  return {
    ...processes,
    apps,
    second,
    count: () => places.count(facts),
    /** Does something when the first payment is made. */
    atFirstIntent(act: () => void) {
      atFirstIntent = act;
    },
  };
}

type Race = Awaited<ReturnType<typeof openRace>>;

/** Presses a button until one of the apps answers, trying them in turn. */
async function press({ apps }: Race, path: string, body: object, headers: Record<string, string> = {}) {
  for (let turn = 0; ; turn += 1) {
    const app = apps[turn % apps.length];
    const answer = await fetch(`${app?.siteUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (answer && answer.status < 500) return { status: answer.status, text: await answer.text() };
    await delay(PRESS_AGAIN_MS);
  }
}

/** One visitor, from the contact step to her card. She continues a registration that she has begun before. */
async function visit(race: Race, number: number, givesUp: boolean): Promise<Outcome> {
  const email = `visitor-${number}@visitors.example`;
  const firstName = `Visitor${number}`;
  const key = `visitor-${number}`.padEnd(32, '0');
  const submitted = await press(
    race,
    CREATE_PAYMENT_PATH,
    { ...contactStep, email, firstName },
    { [IDEMPOTENCY_KEY_HEADER]: key, 'X-Forwarded-For': `10.1.${number}.1` },
  );
  if (submitted.status === 409) return 'refused';
  assert.equal(submitted.status, 200, submitted.text);
  if (givesUp) return 'gave up';
  const { paymentIntentClientSecret } = JSON.parse(submitted.text);
  const { version, digest } = edition.terms;
  const agreed = await press(race, RECORD_CONSENT_PATH, { paymentIntentClientSecret, version, digest });
  if (agreed.status === 409) return 'refused';
  assert.equal(agreed.status, 204, agreed.text);
  const [id = ''] = paymentIntentClientSecret.split('_secret_');
  await race.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return 'paid';
}

/** Lets some visitors come at once; returns how far each came. */
function letCome(race: Race, numbers: readonly number[], givesUp: (number: number) => boolean = () => false) {
  return Promise.all(
    numbers.map(async (number) => ({ number, outcome: await visit(race, number, givesUp(number)) })),
  );
}

/** How many have paid, once the site knows all of them. */
async function countPaid(race: Race): Promise<number> {
  let paid = 0;
  for await (const { status } of race.stripe.paymentIntents.list({ limit: 100 }))
    if (status === 'succeeded') paid += 1;
  // An event may have been lost in the crowd.
  await askForDueWork(race);
  while ((await race.count()).paid < paid) await delay(LOOK_AGAIN_MS);
  return paid;
}

const everybody = Array.from({ length: VISITORS }, (_, number) => number);

describe('200 visitors race for 10 places', () => {
  test('while some give up, some come back, and an app is killed: 10 have paid', async (t) => {
    const race = await openRace(t);
    race.atFirstIntent(() => race.second.pid && process.kill(race.second.pid, 'SIGKILL'));
    const first = await letCome(race, everybody, (number) => number % 3 === 0);
    const count = (outcome: Outcome) => first.filter((one) => one.outcome === outcome).length;
    t.diagnostic(`${count('paid')} paid, ${count('gave up')} gave up, ${count('refused')} were refused`);
    assert.equal(count('paid') + count('gave up'), PLACES);
    const refused = first.filter(({ outcome }) => outcome === 'refused').map(({ number }) => number);
    const { clock } = race.sandbox;
    while ((await race.count()).paid < PLACES) {
      // Who gave up may have pressed once more just before.
      await clock.moveTo(new Date(clock.now() + 31 * 60_000));
      await letCome(race, refused);
      await askForDueWork(race);
    }
    assert.equal(await countPaid(race), PLACES);
  });

  test('while Redis is killed and comes back: 10 have paid', async (t) => {
    const race = await openRace(t);
    let back: Promise<void> | undefined;
    race.atFirstIntent(() => {
      process.kill(race.redis.pid(), 'SIGKILL');
      back = race.redis.stop().then(race.redis.start);
    });
    await letCome(race, everybody);
    await back;
    assert.equal(await countPaid(race), PLACES);
  });
});
