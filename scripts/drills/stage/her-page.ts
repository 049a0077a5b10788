import { setTimeout as pause } from 'node:timers/promises';
import { RequestFailedError } from '#client/registration/payment/http-client.ts';
import { CARDS } from '#scripts/world/life.ts';
import type { PlannedDeed } from '#scripts/world/people.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { nameOf, type Registrant, typeCard } from './registering.ts';
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
    const proof = this.proof;
    switch (does) {
      case 'pay-now':
        return this.#payNow(html, CARDS[card]);
      case 'new-card':
        return this.#changeCard(html, CARDS.other);
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
    const proof = this.proof;
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
    const session = await this.#enterCard(formPaths.takersCard, {}, html, CARDS.other);
    const returned = session ? await this.#open(`${formPaths.takePlace}?session=${session}`) : html;
    const typed = { agreed: 'on', timeZone: 'Europe/Berlin' };
    return this.#sendForm(formPaths.takePlace, typed, returned);
  }

  /** What proves that it is she: the postal code of the card that paid, or else the end of her phone number. */
  get proof(): string {
    const { person, registration } = this.#registrant;
    const isByCard = this.#stage.notes.depositOf(registration) !== undefined;
    return isByCard ? person.postalCode : person.phoneNumber.slice(-4);
  }

  /** Whether she is done: there is nothing to pay. With another card, she first gives that one. */
  async #payNow(html: string, number: string): Promise<boolean> {
    const isOffered = html.includes(`href="${formPaths.pay}"`) || html.includes(`href="${formPaths.card}"`);
    if (!isOffered) return true;
    if (!html.includes(`ending in ${number.slice(-4)}`)) await this.#changeCard(html, number);
    const { proof } = this;
    const location = await this.#send(formPaths.pay, { proof }, await this.#open(formPaths.pay));
    const [, payment] = /\bto=(pi_\w+)/.exec(location ?? '') ?? [];
    if (payment === undefined) return false;
    this.#stage.sandbox.bank.authenticate(payment);
    await this.#ask(`${ownPagePaths.back}?payment_intent=${payment}`);
    return false;
  }

  async #changeCard(html: string, number: string): Promise<boolean> {
    if (!html.includes(`href="${formPaths.card}"`) && !html.includes(`href="${formPaths.pay}"`)) return true;
    const { proof } = this;
    const shown = await this.#open(formPaths.card);
    const session = await this.#enterCard(formPaths.card, { proof }, shown, number);
    if (session === undefined) return false;
    await this.#ask(`${ownPagePaths.back}?session=${session}`);
    return true;
  }

  /** Presses the button that leads to Stripe, and enters a card there; undefined where it does not lead there. */
  async #enterCard(
    action: string,
    typed: Readonly<Record<string, string>>,
    html: string,
    number: string,
  ): Promise<string | undefined> {
    const location = await this.#send(action, typed, html);
    const [, session] = /\bto=(cs_\w+)/.exec(location ?? '') ?? [];
    if (session === undefined) return undefined;
    const card = await typeCard(this.#stage, this.#registrant.person, number);
    this.#stage.sandbox.bank.enterCard(session, card);
    return session;
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

  /** Submits a form of a page; true when the page does not have this form. */
  async #sendForm(action: string, typed: Readonly<Record<string, string>>, html: string): Promise<boolean> {
    return (await this.#send(action, typed, html)) === undefined;
  }

  /** The same. @returns where it leads; undefined when the page does not have this form */
  async #send(
    action: string,
    typed: Readonly<Record<string, string>>,
    html: string,
  ): Promise<string | undefined> {
    const [, form] = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
    if (form === undefined) return undefined;
    const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
    const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
    const body = new URLSearchParams({ ...shown, ...typed });
    const answer = await this.#ask(action, { method: 'POST', body, redirect: 'manual' });
    return answer.headers.get('Location') ?? '';
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.#stage.siteUrl);
    const answer = await fetch(url, {
      ...init,
      headers: { Cookie: this.#cookie, 'Sec-Fetch-Site': 'same-origin' },
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
