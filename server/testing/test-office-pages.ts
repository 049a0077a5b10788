import assert from 'node:assert/strict';
import express from 'express';
import { JSDOM } from 'jsdom';
import type Stripe from 'stripe';
import request from 'supertest';
import { leastEnvironment } from '#scripts/product/environment.ts';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { readAppConfig } from '#server/config/config.ts';
import { listen } from '#server/http/listen.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { addLettersPages } from '#server/office/letters/letters-pages.tsx';
import { createRegistrationIndex } from '#server/office/list/registration-index.ts';
import { officePaths } from '#server/office/paths.ts';
import { addRegistrationPages } from '#server/office/registration/registration-pages.tsx';
import { readAssets } from '#server/page/assets.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { walksBy } from '#server/register/ask-for-walk.ts';
import { createReadModel } from '#server/register/read-model.ts';
import type { AuditFacts } from '#server/users/audit.ts';
import { noteSignedIn, type User } from '#server/users/user.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { startCharges } from './test-charges.ts';
import { createTestLog } from './test-log.ts';
import { openTestQueue, type RedisPatience } from './test-queue.ts';
import { testRedis } from './test-redis.ts';
import { BUILD } from './test-site.ts';

interface Behind {
  payments: Payments;
  redis: RedisClient;
  queue: MailQueue;
  now: () => Date;
}

/** The office's pages of registrations, with the user signed in whom the test chooses. */
async function openRegistrationPages({ payments, redis, queue, now }: Behind) {
  const log = createTestLog();
  const config = readAppConfig({ ...leastEnvironment, REDIS_URL: 'redis://127.0.0.1:1' });
  const readModel = createReadModel(redis, now);
  const audited: string[] = [];
  const auditedFacts: AuditFacts[] = [];
  let user: User = { name: 'Anna', role: 'office' };
  const assets = await readAssets(BUILD);
  const app = express();
  app.set('env', 'production');
  app.use(express.static(assets.publicFolder));
  app.use(express.urlencoded({ extended: false }));
  app.use((_req, res, next) => {
    noteSignedIn(res, { user, token: 'token-of-the-test' });
    next();
  });
  const dependencies = {
    ...{ config, payments, redis, mailQueue: queue, readModel, logger: log.logger, now },
    assets,
    askForWalk: walksBy(redis, log.logger),
    audit({ name }: User, act: string, facts: AuditFacts = {}) {
      audited.push(`${name} ${act}: ${facts.outcome ?? 'done'}`);
      auditedFacts.push(facts);
    },
  };
  addRegistrationPages(app, dependencies);
  const index = createRegistrationIndex({ readModel, mailQueue: queue, now });
  addLettersPages(app, { ...dependencies, index });
  return {
    ...{ app, audited, auditedFacts, readModel, log, config },
    /** Signs in another user from now on. */
    signIn(next: User) {
      user = next;
    },
  };
}

/** A page of the office, as a user reads it. */
export interface Read {
  status: number;
  html: string;
  document: Document;
  /** The text of its `main` element. */
  text: string;
}

type Answer = { status: number; text: string };

function readPage({ status, text: html }: Answer): Read {
  const { document } = new JSDOM(html).window;
  const text = (document.querySelector('main')?.textContent ?? '').replaceAll('\u00a0', ' ');
  return { status, html, document, text };
}

/** Registrations in the payment sandbox, letters on a real Redis, and the office's pages that show both. */
export async function startOffice(
  t: TestScope,
  { redisHangs = false, ...options }: SandboxOptions & RedisPatience = {},
) {
  const charges = await startCharges(t, options);
  const redis = await testRedis(t);
  const { queue, connection } = openTestQueue(t, redis, { redisHangs });
  await queue.bullQueue.waitUntilReady();
  const { payments, now, stripe } = charges;
  const pages = await openRegistrationPages({ payments, redis: connection, queue, now });
  const { app } = pages;
  const see = async (path: string): Promise<Read> => readPage(await request(app).get(path));
  const send = (path: string, body: object) => request(app).post(path).type('form').send(body);
  /** Submits a form and reads the preview of its act. */
  const previewAt = async (path: string, typed: object = {}) => {
    const page = readPage(await send(path, typed));
    const body = hiddenOf(page.document);
    return {
      ...page,
      says: saidIn(page.document),
      button: page.document.querySelector('button[value=confirm]')?.textContent ?? '',
      /** Presses the button that carries out the act, and reads the page that follows. */
      async confirm(more: object = {}) {
        const answer = await send(path, { ...body, step: 'confirm', ...more });
        const to = answer.headers.location;
        return { ...readPage(answer), led: to === undefined ? undefined : await see(to) };
      },
    };
  };
  return {
    ...{ ...charges, ...pages, redis, connection, queue, see },
    seeRegistration: (id: string) => see(officePaths.registration(id)),
    seeForm: (id: string, act: string) => see(officePaths.act(id, act)),
    /** The preview of an act. */
    preview: (id: string, act: string, typed: object = {}) => previewAt(officePaths.act(id, act), typed),
    previewAt,
    /** Serves the pages to a browser, and returns their URL. */
    async serve(): Promise<string> {
      const server = await listen(app, { host: '127.0.0.1', port: 0 });
      cleanUp(t, () => server.close());
      return server.url;
    },
    /** All that Stripe and Redis hold. */
    held: async () => [await heldAtStripe(stripe), await heldInRedis(connection)],
  };
}
export type Office = Awaited<ReturnType<typeof startOffice>>;

/** The hidden fields of a form. */
function hiddenOf(document: Document): Record<string, string> {
  const inputs = document.querySelectorAll('main input[type=hidden]');
  return Object.fromEntries(
    [...inputs].map((input) => [input.getAttribute('name'), input.getAttribute('value')]),
  );
}

/** The sentences and table rows in the preview of an act, or in the notice about it. */
export function saidIn(document: Document): string[] {
  const told = document.querySelectorAll(':is(.act-preview, .registration-notice) :is(p, tr)');
  return [...told].map((one) => [...one.childNodes].map((cell) => cell.textContent).join(' '));
}

async function heldAtStripe(stripe: Stripe): Promise<string> {
  const lists = await Promise.all([
    stripe.paymentIntents.list({ limit: 100 }),
    stripe.customers.list({ limit: 100 }),
    stripe.refunds.list({ limit: 100 }),
  ]);
  return JSON.stringify(lists.map(({ data }) => data));
}

async function heldInRedis(redis: RedisClient): Promise<Record<string, string>> {
  const keys = await redis.keys('*');
  // A queue writes its own `meta` key at an unpredictable moment.
  const kept = keys.filter((key) => !/^\{bull\}:[^:]+:meta$/.test(key));
  const held = kept.toSorted().map(async (key) => {
    const dump = await redis.dumpBuffer(key);
    assert.ok(dump);
    return [key, dump.toString('hex')];
  });
  return Object.fromEntries(await Promise.all(held));
}
