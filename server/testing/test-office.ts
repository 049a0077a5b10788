import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import express from 'express';
import type Stripe from 'stripe';
import request from 'supertest';
import { leastEnvironment, sampleUserLines } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import type { RegisterRow } from '#server/database/database.ts';
import { addOfficeFiles, addOfficePages, createOffice } from '#server/office/create-office.ts';
import { officePaths } from '#server/office/paths.ts';
import { type AuditFacts, createAudit, noteSignedIn, type User } from '#server/office/users/user.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { readAssets } from '#server/web/assets.ts';
import { createOpsApp } from '#server/web/create-ops-app.ts';
import { createLimiter } from '#server/web/limiter.ts';
import { dueWorkBy } from '#server/worker/due-work-queue.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { TestScope } from './clean-up.ts';
import { startListener } from './network.ts';
import { parseHtml } from './test-letters.ts';
import { type MailingOptions, startMailing } from './test-mailing.ts';
import { heldIn } from './test-redis.ts';
import { BUILD, type TestSite as Site, type SiteOptions, startTestSite } from './test-site.ts';

interface OfficeChanges {
  /** The clock of the sessions and the sign-in. */
  time?: () => Date;
  metrics?: Metrics;
}

/** The ops listener of a site's app, as `start-app` opens it. */
export function openTestOffice(site: Site, { time, metrics = new Metrics('app') }: OfficeChanges = {}) {
  const { config, log, connection, mailQueue, payments } = site;
  const probes = {
    redis: mailQueue.isReady,
    stripe: payments.isReachable,
    register: registerProbe.isWritable,
  };
  const { logger } = log;
  // Of its own, as every process has it.
  const limiter = createLimiter({
    redis: connection,
    secrets: config.linkSecrets,
    settings: config.limits,
    logger,
    metrics,
  });
  const options = { probes, metrics, logger, limiter };
  const askForDueWork = dueWorkBy(connection, logger);
  const office = createOffice({ ...site, ...options, redis: connection, registerProbe, askForDueWork, time });
  const { ops, trustProxy } = config;
  return createOpsApp({ ...options, password: ops.password, trustProxy }, office);
}

/** A site and the ops listener of its app, neither of which opens a port. The users are `office` and `support`. */
export async function startTestOffice(t: TestScope, options: SiteOptions & OfficeChanges = {}) {
  const { time, metrics, env, ...siteOptions } = options;
  const site = await startTestSite(t, { ...siteOptions, env: { OPS_USERS: sampleUserLines(), ...env } });
  return { ...site, office: openTestOffice(site, { ...(time && { time }), ...(metrics && { metrics }) }) };
}

/** The header that current browsers send with a form of this site. */
export const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** Tries to sign in, by default with the password of the sample user. */
export function trySignIn(
  office: RequestListener,
  name: string,
  { password = name, ...more }: { password?: string; code?: string; to?: string } = {},
) {
  const typed = { name, password, ...more };
  return request(office).post(officePaths.signIn).set(SAME_ORIGIN).type('form').send(typed);
}

/** Signs a sample user in, in a browser of her own. */
export async function signIn(office: RequestListener, name: 'office' | 'support') {
  const answer = await trySignIn(office, name).expect(303);
  const cookie = cookiesOf(answer);
  const get = (path: string) => request(office).get(path).set('Cookie', cookie);
  const { text } = await get(`${officePaths.list}/nothing`).expect(404);
  const [, token] = / name="token" value="([^"]+)"/.exec(text) ?? [];
  assert.ok(token);
  return {
    get,
    press: (path: string, fields: Record<string, string> = {}) =>
      request(office)
        .post(path)
        .set({ ...SAME_ORIGIN, Cookie: cookie })
        .type('form')
        .send({ token, ...fields }),
    /** The token that protects her forms against forgery. */
    token,
    cookie,
  };
}

export function cookiesOf(answer: request.Response): string {
  return setCookiesOf(answer)
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** The `Set-Cookie` lines of an answer. */
export function setCookiesOf(answer: request.Response): string[] {
  return [answer.headers['set-cookie'] ?? []].flat();
}

/** A register that can be written. */
export const registerProbe = {
  isWritable: () => true,
  awaySince: (): Date | undefined => undefined,
};

/** A test's site and its status page, as a user of support sees it. */
export async function startTestStatus(t: TestScope, options: SiteOptions = {}) {
  const site = await startTestSite(t, options);
  const setRegister = (values: Partial<RegisterRow>) =>
    site.database.write((transaction) => transaction.updateTable('register').set(values).execute());
  await setRegister({ copiedAt: new Date() });
  /** What the test may change. */
  const probe = { ...registerProbe };
  const { app: status, signIn } = await openPages(site, { registerProbe: probe });
  signIn({ name: 'Sam', role: 'support' });
  return {
    ...site,
    probe,
    setRegister,
    status,
    /** What the page says, its headings and paragraphs each on a line. */
    async read(): Promise<string> {
      const { text } = await request(status).get(officePaths.status).expect(200);
      return [...parseHtml({ html: text }).querySelectorAll('main :is(h2, p)')]
        .map((one) => one.textContent)
        .join('\n');
    },
  };
}

interface OfficeOptions extends MailingOptions {
  /** The moment that the list is about; by default that of the sandbox's clock. */
  now?: () => Date;
  editions?: readonly [Edition, ...Edition[]];
}

type Dependencies = Parameters<typeof addOfficePages>[1];
type World = Omit<Dependencies, keyof PageOptions | 'redis' | 'logger' | 'audit' | 'askForDueWork'> &
  Pick<Awaited<ReturnType<typeof startMailing>>, 'connection' | 'log' | 'now'>;
type PageOptions = Partial<Pick<Dependencies, 'now' | 'editions' | 'registerProbe' | 'assets' | 'config'>>;

/** The office's pages, with the user signed in whom the test chooses. */
async function openPages(world: World, options: PageOptions) {
  const { connection: redis } = world;
  const { logger } = world.log;
  const config = readAppConfig({ ...leastEnvironment, REDIS_URL: 'redis://127.0.0.1:1' });
  const audited: string[] = [];
  const auditedFacts: AuditFacts[] = [];
  let user: User = { name: 'Anna', role: 'office' };
  const assets = await readAssets(BUILD);
  const app = express();
  app.set('env', 'production');
  app.use(express.urlencoded({ extended: false }));
  app.use((_req, res, next) => {
    noteSignedIn(res, { user, token: 'token-of-the-test' });
    next();
  });
  const log = createAudit(logger);
  const dependencies = {
    registerProbe,
    ...world,
    ...options,
    config,
    redis,
    logger,
    assets,
    askForDueWork: dueWorkBy(redis, logger),
    audit(by: User, act: string, facts: AuditFacts = {}) {
      audited.push(`${by.name} ${act}: ${facts.outcome ?? 'done'}`);
      auditedFacts.push(facts);
      log(by, act, facts);
    },
  };
  addOfficePages(app, dependencies);
  addOfficeFiles(app, assets);
  return {
    app,
    audited,
    auditedFacts,
    config,
    signIn(next: User) {
      user = next;
    },
  };
}

function readPage({ status, text: html }: Pick<request.Response, 'status' | 'text'>) {
  const document = parseHtml({ html });
  const text = (document.querySelector('main')?.textContent ?? '').replaceAll('\u00a0', ' ');
  return { status, html, document, text };
}

/** `startMailing`, and the office's pages that show its registrations and letters. */
export async function startOffice(t: TestScope, options: OfficeOptions = {}) {
  const { now: _, editions: __, ...mailingOptions } = options;
  const mailing = await startMailing(t, mailingOptions);
  const { connection, stripe } = mailing;
  const { now = mailing.now, editions = [edition] } = options;
  const pages = await openPages(mailing, { now, editions });
  const { app } = pages;
  const see = async (path: string) => readPage(await request(app).get(path));
  const send = (path: string, body: object) => request(app).post(path).type('form').send(body);
  /** Submits a form and reads the preview of its act. */
  const previewAt = async (path: string, typed: object = {}) => {
    const page = readPage(await send(path, typed));
    const body = hiddenOf(page.document);
    return {
      ...page,
      says: saidIn(page.document),
      button: page.document.querySelector('button[value=confirm]')?.textContent ?? '',
      /** Presses the button that carries out the act; `led` is the page to which the answer leads on. */
      async confirm(more: object = {}) {
        const answer = readPage(await send(path, { ...body, step: 'confirm', ...more }));
        const links = [...answer.document.querySelectorAll('main > p > a')];
        const to = links.at(-1)?.getAttribute('href');
        return { ...answer, led: answer.status === 200 && to ? await see(to) : undefined };
      },
    };
  };
  return {
    ...mailing,
    ...pages,
    see,
    seeRegistration: (id: string) => see(officePaths.registration(id)),
    seeForm: (id: string, act: string) => see(officePaths.act(id, act)),
    preview: (id: string, act: string, typed: object = {}) => previewAt(officePaths.act(id, act), typed),
    previewAt,
    /** Serves the pages to a browser, and returns their URL. */
    serve: async (): Promise<string> => (await startListener(t, {}, app)).url,
    /** All that Stripe and Redis hold. */
    held: async () => [await heldAtStripe(stripe), await heldIn(connection)],
  };
}
export type Office = Awaited<ReturnType<typeof startOffice>>;

function hiddenOf(document: Document): Record<string, string> {
  const inputs = document.querySelectorAll('main input[type=hidden]');
  return Object.fromEntries(
    [...inputs].map((input) => [input.getAttribute('name'), input.getAttribute('value')]),
  );
}

/** The sentences and table rows in the preview of an act, or in what is told of it once it is done. */
export function saidIn(document: Document): string[] {
  const told = document.querySelectorAll(':is([aria-labelledby=told], .notice) :is(p, tr, dl > div)');
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
