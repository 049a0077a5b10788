import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import request from 'supertest';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { readAppConfig } from '#server/config/config.ts';
import { type AppDependencies, createApp } from '#server/create-app.ts';
import { createRegistrationLimits } from '#server/intake/registration-limits.ts';
import { Metrics } from '#server/ops/metrics.ts';
import {
  confirmableUntil,
  createLinks,
  findRegistration,
  registrationIdOf,
  stateOf,
  watchPlaces,
} from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { readAssets } from '#server/web/assets.ts';
import { createLimiter } from '#server/web/limiter.ts';
import { dueWorkBy } from '#server/worker/due-work-queue.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { paymentIn } from './test-charges.ts';
import { limitPlaces } from './test-editions.ts';
import { untilQueued } from './test-queue.ts';
import { contactStep, laterKindsDue } from './test-registrations.ts';
import { type RedisOptions, type StageOptions, startStage, withRedis } from './test-stage.ts';

/** The folder of the production build. */
export const BUILD = new URL('../../dist/', import.meta.url);

/** How a test's site differs from the usual one. */
export interface SiteOptions
  extends RedisOptions,
    Pick<StageOptions, 'intercept' | 'log' | 'clock' | 'stripeTimeoutMs'> {
  changes?: Pick<Partial<AppDependencies>, 'now' | 'renderPage' | 'assets' | 'askForDueWork'>;
  env?: NodeJS.ProcessEnv;
}

/**
 * The real app on a real Redis, with the payment sandbox as Stripe, on the day on which a trial of the edition begins. It
 * opens no port: supertest does.
 */
export async function startTestSite(
  t: TestScope,
  { changes, env, redisRunning, redisHangs, ...options }: SiteOptions = {},
) {
  const metrics = new Metrics();
  const now = changes?.now ?? (() => new Date(edition.tryOutFrom));
  const onRegister = await startStage(t, { ...options, now, metrics });
  const stage = await withRedis(t, onRegister, { redisRunning, redisHangs });
  const { sandbox, stripe, payments, admission, connection, log, mailQueue, outbox } = stage;
  const config = readAppConfig({
    ...leastEnvironment,
    REDIS_URL: stage.redis.url,
    STRIPE_API_BASE: sandbox.url,
    ...env,
  });
  const assets = await readAssets(BUILD);
  const limiter = createLimiter({
    redis: connection,
    secrets: config.linkSecrets,
    settings: config.limits,
    logger: log.logger,
    metrics,
  });
  const limits = createRegistrationLimits(limiter, config.office.phone, metrics);
  const placesShown = watchPlaces(admission.places, edition.facts, log.logger);
  cleanUp(t, async () => placesShown.close());
  const app = createApp({
    config,
    logger: log.logger,
    database: stage.database,
    payments,
    mailQueue,
    limits,
    placesShown,
    assets,
    metrics,
    ...admission,
    limiter,
    askForDueWork: dueWorkBy(connection, log.logger),
    ...changes,
    now,
  });
  return {
    ...stage,
    app,
    limiter,
    placesShown,
    assets,
    config,
    metrics,
    /** Sends the site an event, signed as Stripe does. */
    tell(type: string, object: object, { id = 'evt_1', before, ...signed }: Signed = {}) {
      const created = Math.floor(now().getTime() / 1000);
      const data = { object, previous_attributes: before };
      const payload = JSON.stringify({ id, object: 'event', type, created, data });
      const secret = SANDBOX_KEYS.webhookSecret;
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, ...signed });
      return request(app).post(WEBHOOK_PATH).type('json').set('Stripe-Signature', signature).send(payload);
    },
    queued: async () => (await mailQueue.bullQueue.getJobs()).map(({ name }) => name),
    /** The letters on the queue, with the ids of their jobs, as they would be sent now; sorted by kind. */
    async lettersQueued() {
      const jobs = await mailQueue.bullQueue.getJobs();
      const found = await Promise.all(
        jobs.map(async ({ id = '' }) => {
          const letter = await outbox.findDue(id);
          return typeof letter === 'object' ? [{ id, letter }] : [];
        }),
      );
      return found.flat().sort((one, other) => one.letter.kind.localeCompare(other.letter.kind));
    },
  };
}

export type TestSite = Awaited<ReturnType<typeof startTestSite>>;

interface Signed {
  id?: string;
  /** What the event changed, as it was. */
  before?: object | undefined;
  secret?: string;
  /** When it was signed, in seconds since the epoch. */
  timestamp?: number;
}

/** A site with one registration, from a moment on that `clock` changes; no worker runs. */
export async function startRegistered(
  t: TestScope,
  { begins = new Date('2025-12-01T12:00:00-08:00'), ...options }: SiteOptions & { begins?: Date } = {},
) {
  const clock = { now: begins };
  const site = await startTestSite(t, {
    clock: { now: () => clock.now.getTime() },
    ...options,
    changes: { now: () => clock.now, ...options.changes },
  });
  const { app, stripe, payments } = site;
  const { body } = await submitContact(app).expect(200);
  const intent = await onlyIntent(site);
  const id = registrationOf(intent);
  const shown = () => findRegistration(payments, id);
  return {
    ...site,
    clock,
    id,
    clientSecret: String(body.paymentIntentClientSecret),
    shown,
    /** The payment of her deposit. */
    payment: intent.id,
    find: async () => {
      await site.sync(id);
      return (await findRegistration(payments, id)) ?? assert.fail(id);
    },
    /** She pays, and the site takes Stripe's event. */
    async pay(card = 'pm_card_visa') {
      const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: card });
      await site.sync(id);
      return paid;
    },
    /** Her state on the office's list. */
    async stateShown() {
      const registration = await shown();
      return registration && stateOf(registration, clock.now);
    },
    /** The letters after the welcome that the worker will find due. */
    async lettersDue() {
      const registration = await shown();
      return registration ? laterKindsDue(registration, clock.now) : [];
    },
  };
}

export async function onlyIntent({ stripe }: Pick<TestSite, 'stripe'>) {
  const { data } = await stripe.paymentIntents.list();
  assert.equal(data.length, 1);
  const [intent] = data;
  assert.ok(intent);
  return intent;
}

/** Sends the contact step, with changes, to an app that need not listen on a port. It queues her letters after its answer. */
export function submitContact(app: RequestListener, changes: object = {}, key = 'a'.repeat(32)) {
  const sent = request(app)
    .post(CREATE_PAYMENT_PATH)
    .set(IDEMPOTENCY_KEY_HEADER, key)
    .send({ ...contactStep, ...changes });
  const end = sent.end.bind(sent);
  sent.end = (done) => end((error, answer) => void untilQueued().then(() => done?.(error, answer)));
  return sent;
}

/** Sends the contact step of somebody new to a site, as her browser does. */
export function register(siteUrl: string): Promise<Response> {
  const email = `${randomUUID()}@visitors.example`;
  return fetch(`${siteUrl}${CREATE_PAYMENT_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: randomUUID() },
    body: JSON.stringify({ ...contactStep, email, timeZone: 'Asia/Kolkata' }),
  });
}

export async function startSiteWithPlaces(t: TestScope, places: number, options: SiteOptions = {}) {
  limitPlaces(t, places);
  const env = { RATE_LIMIT_PER_ADDRESS: '1000', RATE_LIMIT_OVERALL: '10000', TRUST_PROXY: '1' };
  const site = await startTestSite(t, { env, ...options });
  return { ...site, visit: (name: string) => visit(site, name) };
}

/** The header of a proxy that tells of a visitor in a network of her own: few places are held from one. */
const newAddress = (): [string, string] => {
  const [first, second] = randomBytes(2);
  return ['X-Forwarded-For', `10.${first}.${second}.1`];
};

/** A visitor's browser with her own registration. */
function visit({ app, stripe, tell }: TestSite, name: string) {
  const key = randomBytes(16).toString('hex');
  const from = newAddress();
  let clientSecret = '';
  const payment = () => paymentIn(clientSecret);
  const contact = { email: `${name}@visitors.example`, firstName: name };
  return {
    payment,
    id: () => registrationIdOf(key),
    /** Sends the contact step, each time with the same key. */
    async submit(changes: object = {}) {
      const answer = await submitContact(app, { ...contact, ...changes }, key).set(...from);
      if (answer.status === 200) clientSecret = String(answer.body.paymentIntentClientSecret);
      return answer;
    },
    /** Sends the contact step as an edit of her payment. */
    edit: (changes: object = {}) =>
      submitContact(app, { ...contact, ...changes, paymentIntentClientSecret: clientSecret }).set(...from),
    consent() {
      const { version, digest } = edition.terms;
      return request(app)
        .post(RECORD_CONSENT_PATH)
        .send({ paymentIntentClientSecret: clientSecret, version, digest });
    },
    pay: () => stripe.paymentIntents.confirm(payment(), { payment_method: 'pm_card_visa' }),
    /** Sends the site the event that she has paid. */
    tell: () => tellOf({ tell, stripe }, payment(), 'payment_intent.succeeded'),
  };
}

export async function tellOf({ tell, stripe }: Pick<TestSite, 'tell' | 'stripe'>, id: string, type: string) {
  return tell(type, await stripe.paymentIntents.retrieve(id), { id: `evt_${id}` });
}

const OFFER_MS = 48 * 60 * 60 * 1000;
const { package: packageId, ...contact } = contactStep;
const newKey = () => randomBytes(16).toString('hex');

export async function startFullSite(t: TestScope, options: SiteOptions = {}) {
  const site = await startSiteWithPlaces(t, 1, options);
  const first = site.visit('first');
  await first.submit();
  await first.pay();
  await first.tell();
  await site.placesShown.look();
  assert.equal(site.placesShown.isFull(), true);
  const links = createLinks(site.config.linkSecrets, site.config.publicUrl);
  const { waitingList } = site.admission;
  /** The office offers a place, by default for 48 hours. */
  const offer = async (waitingId: string, until = new Date(site.now().getTime() + OFFER_MS)) => {
    const record = await waitingList.find(waitingId);
    assert.ok(record);
    await waitingList.offer(record, { at: site.now(), until, by: 'Olga' }, true);
    return new URL(links.url('offer', { subject: waitingId, expiresAt: until })).pathname;
  };
  const onlyEntry = async () => {
    const all = await waitingList.list(edition);
    assert.equal(all.length, 1);
    assert.ok(all[0]);
    return all[0];
  };
  const join = (changes: object = {}, key = newKey()) =>
    request(site.app)
      .post(JOIN_WAITING_PATH)
      .set(IDEMPOTENCY_KEY_HEADER, key)
      .send({ ...contact, ...changes });
  const confirm = async () => {
    const { id, joinedAt } = await onlyEntry();
    const url = links.url('wait', { subject: id, expiresAt: confirmableUntil({ joinedAt }) });
    await request(site.app).post(new URL(url).pathname).expect(200);
  };
  const pay = async (intent: string) => {
    await site.stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' });
    return tellOf(site, intent, 'payment_intent.succeeded');
  };
  return { ...site, links, offer, onlyEntry, join, confirm, pay };
}
