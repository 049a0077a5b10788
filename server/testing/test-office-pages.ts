import express from 'express';
import { JSDOM } from 'jsdom';
import type Stripe from 'stripe';
import request from 'supertest';
import { leastEnvironment } from '#scripts/product/environment.ts';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { readAppConfig } from '#server/config/config.ts';
import { listen } from '#server/http/listen.ts';
import { addBookkeepingPages } from '#server/office/bookkeeping/bookkeeping-pages.tsx';
import { addLettersPages } from '#server/office/letters/letters-pages.tsx';
import { addListPages } from '#server/office/list/list-pages.tsx';
import { officePaths } from '#server/office/paths.ts';
import { addRegistrationPages } from '#server/office/registration/registration-pages.tsx';
import { readAssets } from '#server/page/assets.ts';
import { dueWorkBy } from '#server/register/due-work-queue.ts';
import { type AuditFacts, createAudit } from '#server/users/audit.ts';
import { noteSignedIn, type User } from '#server/users/user.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { startMailing } from './test-mailing.ts';
import type { RedisPatience } from './test-queue.ts';
import { heldIn } from './test-redis.ts';
import { BUILD } from './test-site.ts';

interface OfficeOptions extends SandboxOptions, RedisPatience {
  /** The moment that the list is about; by default that of the sandbox's clock. */
  now?: () => Date;
  editions?: readonly [Edition, ...Edition[]];
}

type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** The office's list and its pages of registrations and letters, with the user signed in whom the test chooses. */
async function openPages(mailing: Mailing, { now = mailing.now, editions = [edition] }: OfficeOptions) {
  const { connection: redis, queue: mailQueue } = mailing;
  const { logger } = mailing.log;
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
    ...mailing,
    config,
    redis,
    mailQueue,
    logger,
    now,
    assets,
    askForDueWork: dueWorkBy(redis, logger),
    audit(by: User, act: string, facts: AuditFacts = {}) {
      audited.push(`${by.name} ${act}: ${facts.outcome ?? 'done'}`);
      auditedFacts.push(facts);
      log(by, act, facts);
    },
  };
  addListPages(app, { ...dependencies, editions });
  addRegistrationPages(app, dependencies);
  addLettersPages(app, dependencies);
  addBookkeepingPages(app, dependencies);
  app.use(express.static(assets.publicFolder));
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

/** A page of the office, as a user reads it. */
function readPage({ status, text: html }: Pick<request.Response, 'status' | 'text'>) {
  const { document } = new JSDOM(html).window;
  const text = (document.querySelector('main')?.textContent ?? '').replaceAll('\u00a0', ' ');
  return { status, html, document, text };
}

/** `startMailing`, and the office's pages that show its registrations and letters. */
export async function startOffice(t: TestScope, options: OfficeOptions = {}) {
  const { now: _, editions: __, ...mailingOptions } = options;
  const mailing = await startMailing(t, mailingOptions);
  const { connection, stripe } = mailing;
  const pages = await openPages(mailing, options);
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
      /** Presses the button that carries out the act, and reads the page that follows. */
      async confirm(more: object = {}) {
        const answer = await send(path, { ...body, step: 'confirm', ...more });
        const to = answer.headers.location;
        return { ...readPage(answer), led: to === undefined ? undefined : await see(to) };
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
    async serve(): Promise<string> {
      const server = await listen(app, { host: '127.0.0.1', port: 0 });
      cleanUp(t, () => server.close());
      return server.url;
    },
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
