import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { RequestFailedError } from '#client/registration/payment/http-client.ts';
import { CARDS } from '#scripts/world/life.ts';
import type { PlannedDeed } from '#scripts/world/people.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { nameOf, payByCard, type Registrant, storeCard, typeCard } from './registering.ts';
import type { Stage } from './stage.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 200;
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Does something on her page as her browser does, through the link in her newest letter. She retries what fails; after
 * a refusal she opens the page again, and gives up once the page no longer offers the deed.
 */
export async function deedOnPage(deed: PlannedDeed, registrant: Registrant, stage: Stage): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
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
      case 'pay-now':
        return this.#payNow(html, CARDS[card]);
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
    const link = this.#newestLink('take');
    if (!link) throw new Error('no letter brought a link to the place');
    const html = await this.#follow(link, formPaths.takePlace);
    const [, token] = /name="link" value="([^"]+)"/.exec(html) ?? [];
    if (token === undefined) return true;
    const { person } = this.#registrant;
    const card = await typeCard(this.#stage, person, CARDS.other);
    const { clientSecret } = v.parse(secretSchema, await this.#press(ownPagePaths.takeCard, { link: token }));
    const setupIntent = await storeCard(this.#stage, clientSecret, card);
    const typed = { agreed: 'on', timeZone: 'Europe/Berlin', setupIntent };
    return this.#sendForm(formPaths.takePlace, typed, html);
  }

  /** What proves that it is she: the postal code of the card that paid, or else the end of her phone number. */
  get #proof(): string {
    const { person, registration } = this.#registrant;
    const isByCard = this.#stage.notes.depositOf(registration) !== undefined;
    return isByCard ? person.postalCode : person.phoneNumber.slice(-4);
  }

  /** Whether she is done: it is paid, or there is nothing to pay. */
  async #payNow(html: string, number: string): Promise<boolean> {
    const { person } = this.#registrant;
    const shown = tokenOf(html, 'pay');
    if (!shown) return true;
    const card = await typeCard(this.#stage, person, number);
    const proven = { ...shown, proof: this.#proof };
    const { clientSecret } = v.parse(secretSchema, await this.#press(ownPagePaths.pay, proven));
    return payByCard(this.#stage, clientSecret, card);
  }

  async #changeCard(html: string): Promise<boolean> {
    const { person } = this.#registrant;
    const given = tokenOf(html, 'card');
    if (!given) return true;
    const card = await typeCard(this.#stage, person, CARDS.other);
    const proven = { token: given.token, proof: this.#proof };
    const { clientSecret } = v.parse(secretSchema, await this.#press(ownPagePaths.card, proven));
    const stored = { token: given.token, setupIntent: await storeCard(this.#stage, clientSecret, card) };
    // Tells the site until it answers: starting over would count as another attempt to prove herself.
    for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await pause(RETRY_MS)) {
      const told = await this.#press(ownPagePaths.cardStored, stored).catch(() => 'lost');
      if (told !== 'lost') return true;
    }
    return false;
  }

  async #enter(): Promise<string> {
    const link = this.#newestLink('place');
    if (!link) throw new Error('no letter brought her a link');
    const html = await this.#follow(link, OWN_PAGE_PATH);
    if (!html.includes(this.#registrant.person.edition.title))
      throw new Error('her page is about another edition');
    return html;
  }

  /** Opens a link, which keeps its token in a cookie, and then the page to which it leads. */
  async #follow(link: URL, path: string): Promise<string> {
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
    const url = new URL(path, this.#stage.siteUrl);
    const answer = await fetch(url, {
      ...init,
      headers: { Cookie: this.#cookie, 'Sec-Fetch-Site': 'same-origin', ...headers },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (answer.status >= 400) throw new RequestFailedError(answer.status, undefined, path);
    return answer;
  }

  /** The newest link of one kind to her page, in whichever letter. */
  #newestLink(scope: 'place' | 'confirm' | 'take'): URL | undefined {
    const { registration } = this.#registrant;
    const link = new RegExp(`\\S+${ownPagePaths.enter}v1\\.${registration}\\.\\d+\\.${scope}[\\w.-]+`);
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
  const [, token] = /data-token="([^"]+)"/.exec(form) ?? [];
  const [, cents] = /data-cents="(\d+)"/.exec(form) ?? [];
  const [, part] = /data-part="(\d+)"/.exec(form) ?? [];
  if (token === undefined) return undefined;
  return { token, cents: Number(cents), ...(part !== undefined && { part: Number(part) }) };
}
