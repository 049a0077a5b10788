import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import * as v from 'valibot';
import { post, RequestFailedError } from '#client/registration/payment/http-client.ts';
import { connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Span } from '#scripts/world/editions.ts';
import { CARDS } from '#scripts/world/life.ts';
import type { Person, PlannedDeed } from '#scripts/world/people.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
  REGISTER_AWAY,
  type RecordConsentRequest,
} from '#shared/registration.ts';
import { registerByPhone } from './office.ts';
import type { Stage } from './stage.ts';

/** The browser's timeout for a request; how long she looks at an error before she presses again; when she gives up. */
const REQUEST_TIMEOUT_MS = 60_000;
const PRESS_AGAIN_MS = 250;
const GIVE_UP_MS = 120_000;

/** A person whose registration has begun, and what she and others did since. Moments are in business time. */
export interface Registrant {
  person: Person;
  depositId: string;
  /** Between her first press and the answer that she is registered. */
  begun?: Span;
  /** Undefined where the deposit is never paid. */
  paidAt?: number;
  /** Between her first press and the answer that her consent is recorded. */
  agreed?: Span;
  done: (Span & { deed: PlannedDeed })[];
}

/** Names a registration and its life. */
export const nameOf = ({ depositId, person }: Pick<Registrant, 'depositId' | 'person'>): string =>
  `${depositId} (${person.life})`;

/** Posts what the page sends, until it is answered. */
export type Send = (path: string, json: object, headers?: Record<string, string>) => Promise<unknown>;

/** She presses again until she is answered; while the register is away, the page does so when the answer says. */
const pressing =
  ({ siteUrl }: Pick<Stage, 'siteUrl'>, email: string): Send =>
  async (path, json, headers = {}) => {
    for (const deadline = Date.now() + GIVE_UP_MS; ; ) {
      try {
        return await post(`${siteUrl}${path}`, { json, headers, timeoutMs: REQUEST_TIMEOUT_MS });
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`${email} was not answered`, { cause: error });
        const againS = error instanceof RequestFailedError ? againIn(error, email) : 0;
        await pause(againS > 0 ? againS * 1_000 : PRESS_AGAIN_MS);
      }
    }
  };

/**
 * How many seconds the page waits while the register is away; 0 where she may press again.
 * @throws {Error} when she is refused, or told of an error that she cannot do anything about
 */
function againIn({ status, body, retryAfterS = 0 }: RequestFailedError, email: string): number {
  const answer = `${status} ${JSON.stringify(body)}`;
  if (status < 500) throw new Error(`${email} was refused: ${answer}`);
  const { code } = v.parse(errorResponseSchema, body).error;
  if (code === 'unexpected' || (code === REGISTER_AWAY && retryAfterS === 0))
    throw new Error(`${email} was answered ${answer}`);
  return code === REGISTER_AWAY ? retryAfterS : 0;
}

/**
 * Registers as her browser does, has her consent recorded, and only then pays; sets how her bank answers later charges. Who
 * calls is registered by the office.
 * @throws {Error} when she is refused, or not answered within two minutes
 */
export async function register(
  person: Person,
  stage: Stage,
  { thinksMs = 0, send = pressing(stage, person.email) }: { thinksMs?: number; send?: Send } = {},
): Promise<Registrant> {
  const { clock, bank } = stage.sandbox;
  const { edition, firstName, lastName, email, phoneNumber } = person;
  const pressedAt = clock.now();
  if (person.phone.length > 0) {
    const contact = ['--first', firstName, '--last', lastName, '--email', email, '--phone', phoneNumber];
    const depositId = await registerByPhone([edition.id, ...contact, ...person.phone], person, stage);
    const begun = { from: pressedAt, until: clock.now() };
    return { person, depositId, begun, done: [], agreed: begun };
  }
  const details: CreatePaymentRequest = {
    firstName,
    lastName,
    email,
    phoneNumber,
    package: edition.packageId,
    timeZone: 'Europe/Berlin',
  };
  const key = randomBytes(16).toString('hex');
  const begin = () => send(CREATE_PAYMENT_PATH, details, { [IDEMPOTENCY_KEY_HEADER]: key });
  const { paymentIntentClientSecret } = v.parse(createPaymentResponseSchema, await begin());
  const depositId = idIn(paymentIntentClientSecret);
  const answered = { from: pressedAt, until: clock.now() };
  const begun: Registrant = { person, depositId, begun: answered, done: [] };
  if (person.ending === 'never-registered') return begun;
  await pause(thinksMs);
  const from = clock.now();
  const endsIn = person.cardEnds ? person.beganAt : undefined;
  const paymentMethod = await typeCard(stage, person, CARDS[person.card], endsIn);
  if (person.consents) {
    const { version, digest } = edition.terms;
    const { country, state } = ADDRESS;
    const consent: RecordConsentRequest = {
      paymentIntentClientSecret,
      version,
      digest,
      country,
      state,
      paymentMethod,
    };
    stage.moments.emit('consent');
    await send(RECORD_CONSENT_PATH, consent).catch(async (error: unknown) => {
      // The register was restored from a copy that is older than her registration: she goes back, and sends her details again.
      if (!String(error).includes('registration_not_found')) throw error;
      await begin();
      await send(RECORD_CONSENT_PATH, consent);
    });
  }
  const agreed = { from, until: clock.now() };
  await payByCard(stage, paymentIntentClientSecret, paymentMethod);
  for (const code of person.declines) bank.declineNextCharge(paymentMethod, code);
  return { ...begun, ...(person.consents && { agreed }), paidAt: clock.now() };
}

const ADDRESS = { line1: 'Lindenstr. 1', city: 'Berlin', state: 'Berlin', country: 'DE' };

/** The ID of what a client secret opens. */
const idIn = (secret: string): string => secret.slice(0, secret.indexOf('_secret_'));

/** A Stripe client with the publishable key, like the page's script. */
const browserOf = (sandbox: Stage['sandbox']): Stripe => connect(sandbox, SANDBOX_KEYS.publishableKey);

/** Types a card into the page; returns its payment method. It is valid for years, or for the month of a moment. */
async function typeCard(
  { sandbox }: Stage,
  { firstName, lastName, postalCode }: Person,
  number: string,
  endsIn?: number,
): Promise<string> {
  const [exp_year = 2031, exp_month = 12] =
    endsIn === undefined ? [] : new Date(endsIn).toISOString().split('-', 2).map(Number);
  const { id } = await browserOf(sandbox).paymentMethods.create({
    type: 'card',
    card: { number, exp_month, exp_year, cvc: '123' },
    billing_details: { name: `${firstName} ${lastName}`, address: { ...ADDRESS, postal_code: postalCode } },
  });
  return id;
}

const confirmedSchema = v.object({ status: v.string() });

/** Confirms a payment in the browser, with 3-D Secure where her bank requires it; returns whether it is paid. */
async function payByCard({ sandbox }: Stage, secret: string, card: string): Promise<boolean> {
  const ask = async (path: string, parameters: Record<string, string>) => {
    const given = { client_secret: secret, ...parameters };
    return v.parse(confirmedSchema, await browserOf(sandbox).rawRequest('POST', path, given)).status;
  };
  try {
    const status = await ask(`/v1/payment_intents/${idIn(secret)}/confirm`, { payment_method: card });
    if (status !== 'requires_action') return status === 'succeeded';
    const challenge = `/sandbox/payment_intents/${idIn(secret)}/challenge`;
    return (await ask(challenge, { outcome: 'authenticated' })) === 'succeeded';
  } catch (error) {
    // It was paid meanwhile, or her card was declined.
    if (error instanceof Stripe.errors.StripeError && (error.statusCode ?? 500) < 500) return false;
    throw error;
  }
}

const RETRY_MS = 200;

/**
 * Does something on her page as her browser does, through the link in her newest letter. She retries what fails; after
 * a refusal she opens the page again, and gives up once the page no longer offers the deed.
 */
export async function deedOnPage(deed: PlannedDeed, registrant: Registrant, stage: Stage): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS;
  let cause: unknown;
  for (; Date.now() < deadline; await pause(RETRY_MS)) {
    try {
      if (await new HerPage(registrant, stage).tried(deed)) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`${nameOf(registrant)} could not ${deed.does}`, { cause });
}

const secretSchema = v.object({ clientSecret: v.string() });

class HerPage {
  readonly #registrant: Registrant;
  readonly #stage: Stage;
  #cookie = '';

  constructor(registrant: Registrant, stage: Stage) {
    this.#registrant = registrant;
    this.#stage = stage;
  }

  /** Whether it is done, or the page does not offer it: the effect of a press shows when the page is opened again. */
  async tried({ does, card, corrects }: PlannedDeed): Promise<boolean> {
    if (does === 'new-address') return this.#askForAddress(corrects ?? '');
    if (does === 'take-place') return this.#takePlace();
    const html = await this.#enter();
    const proof = this.#proof;
    switch (does) {
      case 'pay-now': {
        const shown = tokenOf(html, 'pay');
        if (!shown) return true;
        const [typed, secret] = await this.#typeFor(ownPagePaths.pay, { ...shown, proof }, CARDS[card]);
        return payByCard(this.#stage, secret, typed);
      }
      case 'new-card':
        return this.#changeCard(html);
      case 'cancel':
        return this.#sendForm(formPaths.cancel, { proof }, await this.#open(formPaths.cancel));
      case 'give-place': {
        const asked = await this.#open(formPaths.handOver);
        // Without this button the form that keeps the place would be the first.
        return asked.includes('value="agree"') ? this.#sendForm(formPaths.handOver, { proof }, asked) : true;
      }
      case 'undo':
        if (!html.includes(`href="${formPaths.undo}"`)) return true;
        return this.#sendForm(formPaths.undo, { proof }, await this.#open(formPaths.undo));
      default:
        throw new Error(`Her page does not offer ${does}`);
    }
  }

  /** Asks for another address, and confirms it through the link in the letter to that address. */
  async #askForAddress(email: string): Promise<boolean> {
    const link = this.#newestLink('confirm');
    if (link) {
      try {
        return await this.#sendForm(formPaths.addressConfirmed, {}, await this.#open(link.pathname));
      } catch (error) {
        // The link works only once, so a refusal means that it has worked.
        if (error instanceof RequestFailedError && error.status === 403) return true;
        throw error;
      }
    }
    const html = await this.#enter();
    // If she asked twice, the link in the first letter would not work.
    if (html.includes(`href="${formPaths.addressDropped}"`)) return false;
    const proof = this.#proof;
    await this.#sendForm(formPaths.address, { email, proof }, await this.#open(formPaths.address));
    return false;
  }

  /** Somebody else stores her card, and accepts the place, through the link in the letter to her. */
  async #takePlace(): Promise<boolean> {
    const html = await this.#follow('take', formPaths.takePlace);
    const [, link] = /name="link" value="([^"]+)"/.exec(html) ?? [];
    if (link === undefined) return true;
    const setupIntent = await this.#storeCard(ownPagePaths.takeCard, { link });
    const typed = { agreed: 'on', timeZone: 'Europe/Berlin', setupIntent };
    return this.#sendForm(formPaths.takePlace, typed, html);
  }

  async #changeCard(html: string): Promise<boolean> {
    const given = tokenOf(html, 'card');
    if (!given) return true;
    const { token } = given;
    const stored = {
      token,
      setupIntent: await this.#storeCard(ownPagePaths.card, { token, proof: this.#proof }),
    };
    // Tells the site until it answers: starting over would count as another attempt to prove herself.
    for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline; await pause(RETRY_MS)) {
      const told = await this.#press(ownPagePaths.cardStored, stored).catch(() => 'lost');
      if (told !== 'lost') return true;
    }
    return false;
  }

  /** Types a card, and asks the site for the client secret to use it with; returns both. */
  async #typeFor(path: string, json: object, number: string): Promise<[typed: string, secret: string]> {
    const typed = await typeCard(this.#stage, this.#registrant.person, number);
    const { clientSecret } = v.parse(secretSchema, await this.#press(path, json));
    return [typed, clientSecret];
  }

  /** Types another card, and stores it by confirming the SetupIntent that the site makes; returns its ID. */
  async #storeCard(path: string, json: object): Promise<string> {
    const [typed, secret] = await this.#typeFor(path, json, CARDS.other);
    const given = { client_secret: secret, payment_method: typed };
    const browser = browserOf(this.#stage.sandbox);
    await browser.rawRequest('POST', `/v1/setup_intents/${idIn(secret)}/confirm`, given);
    return idIn(secret);
  }

  /** What proves that it is she: the postal code of the card that paid, or else the end of her phone number. */
  get #proof(): string {
    const { person, depositId } = this.#registrant;
    const isByCard = this.#stage.notes.successOf(depositId) !== undefined;
    return isByCard ? person.postalCode : person.phoneNumber.slice(-4);
  }

  async #enter(): Promise<string> {
    const html = await this.#follow('place', OWN_PAGE_PATH);
    if (!html.includes(this.#registrant.person.edition.title))
      throw new Error('her page is about another edition');
    return html;
  }

  /** Opens her newest link, which keeps its token in a cookie, and then the page to which it leads. */
  async #follow(scope: 'place' | 'take', path: string): Promise<string> {
    const link = this.#newestLink(scope);
    if (!link) throw new Error(`no letter brought a link to ${scope}`);
    const entered = await this.#ask(link.pathname, { redirect: 'manual' });
    this.#cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    return this.#open(path);
  }

  async #open(path: string): Promise<string> {
    return (await this.#ask(path)).text();
  }

  /** Submits a form of a page that needs no script; true when the page does not have this form. */
  async #sendForm(action: string, typed: Readonly<Record<string, string>>, html: string): Promise<boolean> {
    const [, form] = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
    if (form === undefined) return true;
    const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
    const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
    const body = new URLSearchParams({ ...shown, ...typed });
    await this.#ask(action, { method: 'POST', body, redirect: 'manual' });
    return false;
  }

  async #press(path: string, json: object): Promise<unknown> {
    const body = JSON.stringify(json);
    const answer = await this.#ask(path, { method: 'POST', body }, { 'Content-Type': 'application/json' });
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  }

  async #ask(path: string, init: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(new URL(path, this.#stage.siteUrl), {
      ...init,
      headers: { Cookie: this.#cookie, 'Sec-Fetch-Site': 'same-origin', ...headers },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (answer.status >= 400) throw new RequestFailedError(answer.status, undefined, path);
    return answer;
  }

  /** The newest link of one kind to her page, in whichever letter. */
  #newestLink(scope: 'place' | 'confirm' | 'take'): URL | undefined {
    const { depositId } = this.#registrant;
    const link = new RegExp(`\\S+${ownPagePaths.enter}v1\\.${depositId}\\.\\d+\\.${scope}[\\w.-]+`);
    const newest = this.#stage.notes.mails.findLast(({ text }) => link.test(text));
    const [found] = link.exec(newest?.text ?? '') ?? [];
    return found === undefined ? undefined : new URL(found);
  }
}

/** What the form of an act is sent with; undefined when the page does not offer it. */
function tokenOf(
  html: string,
  act: 'pay' | 'card',
): { token: string; cents: number; part?: number } | undefined {
  const [form = ''] = new RegExp(`<form[^>]*data-act="${act}"[^>]*>`).exec(html) ?? [];
  const data = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(form)?.[1];
  const [token, part] = [data('token'), data('part')];
  if (token === undefined) return undefined;
  return { token, cents: Number(data('cents')), ...(part !== undefined && { part: Number(part) }) };
}
