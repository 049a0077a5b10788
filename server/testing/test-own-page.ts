import assert from 'node:assert/strict';
import request from 'supertest';
import { connect, SANDBOX_KEYS, type Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { openLetters } from '#server/letters/table.ts';
import { createLinks, findRegistration, linksEndAt, type Scope } from '#server/registration/registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { dueWorkQueue } from '#server/worker/due-work-queue.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { TestScope } from './clean-up.ts';
import { recordSent } from './test-charges.ts';
import { contactStep } from './test-registrations.ts';
import { type SiteOptions, startRegistered } from './test-site.ts';

interface OwnPageOptions extends SiteOptions {
  postalCode?: string;
  card?: string;
}

/** A site with one paid registration, its link, and the requests made to Stripe since. */
export async function startOwnPage(t: TestScope, { postalCode, card, ...options }: OwnPageOptions = {}) {
  const calls: string[] = [];
  const site = await startRegistered(t, {
    begins: new Date(edition.tryOutFrom),
    intercept: ({ method, path }) => void calls.push(`${method} ${path}`),
    ...options,
  });
  const { app, stripe, config, clientSecret, payment, payments, letterLog, clock, id: registration } = site;
  const { version, digest } = edition.terms;
  const consent = { paymentIntentClientSecret: clientSecret, version, digest };
  await request(app).post('/recordConsent').send(consent).expect(204);
  const method = postalCode ? await cardWithPostalCode(site.sandbox, postalCode) : (card ?? 'pm_card_visa');
  await site.pay(method);
  calls.length = 0;

  const links = createLinks(config.linkSecrets, config.publicUrl);
  const tokenWith = (changes: { epoch?: number; scope?: Scope; expiresAt?: Date; subject?: string } = {}) =>
    links.format({
      subject: registration,
      epoch: 0,
      scope: 'place',
      expiresAt: linksEndAt(edition.facts),
      ...changes,
    });
  const enter = async (token = tokenWith()): Promise<string> => {
    const { headers } = await request(app).get(`${ownPagePaths.enter}${token}`).expect(303);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    return cookie.split(';')[0] ?? '';
  };
  const see = (cookie: string, path: string = OWN_PAGE_PATH) => request(app).get(path).set('Cookie', cookie);
  const pressToken = (cookie: string) => links.pressToken(cookie.slice(cookie.indexOf('=') + 1));
  const press = (cookie: string, path: string, input: object) =>
    request(app)
      .post(path)
      .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html,*/*;q=0.8' })
      .type('form')
      .send({ token: pressToken(cookie), ...input });
  const intent = () => stripe.paymentIntents.retrieve(payment, { expand: ['customer'] });
  return {
    ...site,
    calls,
    registration,
    contact: contactStep,
    links,
    tokenWith,
    enter,
    see,
    press,
    /** Presses a button of a form as it is shown now. */
    async pressShown(cookie: string, path: string, input: object = {}) {
      const { text } = await see(cookie, path).expect(200);
      return press(cookie, path, { ...hiddenIn(text, path), ...input });
    },
    pressToken,
    intent,
    pass(minutes: number): void {
      clock.now = new Date(clock.now.getTime() + minutes * 60_000);
    },
    /** What the worker does. */
    charge: () => payments.ask(chargeBalance, registration, clock.now),
    /** Tells her of the charge eleven days before, and moves the clock to a minute after it is due. */
    async untilDue(): Promise<void> {
      const record = (await findRegistration(payments, registration)) ?? assert.fail();
      const chargeAt = Date.parse(edition.facts.balance.chargeAt);
      const toldAt = new Date(chargeAt - 11 * 24 * 60 * 60 * 1000);
      const [notice] = openLetters('balance-notice', record, toldAt);
      await recordSent(letterLog, notice ?? assert.fail(), toldAt);
      clock.now = new Date(chargeAt + 60_000);
    },
    /** The requests to Stripe that wrote something. */
    writes: () => calls.filter((call) => !call.startsWith('GET ')),
    /** How often the worker was asked to do what is due since this was last called: at most once. */
    async timesAsked() {
      const jobs = await dueWorkQueue(site.connection).getJobs(['waiting', 'prioritized', 'delayed']);
      for (const job of jobs) await job.remove();
      return jobs.length;
    },
  };
}

interface Answer {
  headers: Record<string, unknown>;
}

/** The cookie with the result of a press. */
export function newsCookieOf({ headers }: Answer): string {
  return /place-news=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
}

/** The result of a press, which her page will show. */
export function newsOf(answer: Answer): string | undefined {
  return /^place-news=([a-z-]+)\.[\w-]{43}$/.exec(newsCookieOf(answer))?.[1];
}

/** What the form of a page sends that is not typed. */
export function hiddenIn(html: string, action: string): Record<string, string> {
  const [, form = ''] = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
  const inputs = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

/** Where a page of ours leads on to. */
export const refreshIn = (html: string): string | undefined =>
  /<meta http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');

export const wordsOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/[\s\u00a0]+/g, ' ');

export type TestOwnPage = Awaited<ReturnType<typeof startOwnPage>>;

/** Makes a card like the browser's script does: nothing else may send a card's number. */
export async function cardWithPostalCode(sandbox: Sandbox, postalCode: string): Promise<string> {
  const { id } = await connect(sandbox, SANDBOX_KEYS.publishableKey).paymentMethods.create({
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2027 },
    billing_details: { address: { postal_code: postalCode, country: 'US' } },
  });
  return id;
}
