import type { Stripe } from '@stripe/stripe-js';
import { loadStripe, requestScriptAgain } from '#client/registration/payment/stripe.ts';
import { ownPageScriptWords as words } from '#shared/content/own-page-script-words.ts';
import { ActFailed, changeCard, forgetConfirmed, payBalance, takePlace } from './card-acts.ts';
import { type CardFields, mountCardFields, refuseText, requireText, textOf } from './card-fields.ts';

/** After this long without Stripe's script, an error is shown. */
const STRIPE_TIMEOUT_MS = 10_000;

/** Makes a card form work: loads Stripe's script when it is opened, and performs its act on submit. */
export function runAct(form: HTMLFormElement): void {
  const act = new CardAct(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act.press();
  });
  form.addEventListener('input', () => act.follow());
  // A browser that returns to the page may restore her choice of card without an event.
  addEventListener('pageshow', () => act.follow());
  const details = form.closest('details');
  const loadIfOpen = () => details?.open && act.load();
  details?.addEventListener('toggle', loadIfOpen);
  details?.classList.add('act--runs');
  loadIfOpen();
}

class CardAct {
  readonly #form: HTMLFormElement;
  readonly #button: HTMLButtonElement;
  readonly #errors: HTMLElement;
  readonly #newCard: HTMLElement;
  readonly #source: Parameters<typeof loadStripe>[0];
  #stripe: Stripe | undefined;
  /** Set once the card's fields were shown. */
  #card: CardFields | undefined;
  #busy = false;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#button = find(form, 'button[type="submit"]');
    this.#errors = find(form, '.act-error');
    this.#newCard = find(form, '[data-new-card]');
    const { stripeKey = '', stripeScript = null } = find<HTMLElement>(document, '[data-stripe-key]').dataset;
    this.#source = { stripePublishableKey: stripeKey, stripeScriptUrl: stripeScript };
  }

  /** Loads Stripe's script, unless it is loaded or loading. */
  async load(): Promise<void> {
    if (this.#busy || this.#stripe) return;
    this.#wait();
    const stripe = await Promise.race([loadStripe(this.#source), after(STRIPE_TIMEOUT_MS)]);
    if (stripe) {
      this.#stripe = stripe;
      this.#showCard();
      this.#ready(this.#button.dataset.ready);
    } else {
      this.#ready(words.retry);
      this.#tell([words.stripeMissing, words.nothingCharged]);
    }
  }

  /** Updates the form to what she chose or typed. */
  follow(): void {
    forgetConfirmed();
    this.#showCard();
  }

  /** Handles a submit. Ignored while another one is in progress. */
  press(): void {
    if (this.#busy) return;
    this.#tell([]);
    if (this.#stripe) {
      this.#submit(this.#stripe);
      return;
    }
    requestScriptAgain(this.#source);
    this.load();
  }

  async #submit(stripe: Stripe): Promise<void> {
    this.#showCard();
    const card = this.#newCard.hidden ? undefined : this.#card;
    const focusMissing = findMissing(this.#form, card);
    if (focusMissing) {
      focusMissing();
      return;
    }
    this.#wait();
    try {
      await perform(this.#form, stripe, card);
    } catch (error) {
      this.#ready(this.#button.dataset.ready);
      this.#explain(error);
    }
  }

  #explain(error: unknown): void {
    if (!(error instanceof ActFailed)) {
      reportError(error);
      this.#tell([words.unexpected]);
      return;
    }
    this.#tell([error.message, ...reassure(this.#form, error)]);
    if (error.proof) refuseText(this.#form, 'proof', error.proof);
  }

  /** Shows the lines, the first one as an error. */
  #tell(lines: readonly string[]): void {
    const paragraphs = lines.map((line, index) => {
      const paragraph = document.createElement('p');
      paragraph.className = index === 0 ? 'form-error' : 'form-reassurance';
      paragraph.textContent = line;
      return paragraph;
    });
    this.#errors.replaceChildren(...paragraphs);
    if (lines.length > 0) this.#errors.focus();
  }

  /** Shows the card fields if she is to enter a card, and hides them if she chose the one on file. */
  #showCard(): void {
    const chosen = this.#form.querySelector<HTMLInputElement>('input[name="with"]:checked');
    this.#newCard.hidden = chosen?.value === 'on-file';
    if (this.#stripe && !this.#newCard.hidden)
      this.#card ??= mountCardFields(this.#form, this.#stripe, forgetConfirmed);
  }

  /** Sets `aria-disabled` only: a button that is `disabled` would lose the focus. */
  #wait(): void {
    this.#busy = true;
    this.#button.textContent = words.wait;
    this.#button.setAttribute('aria-disabled', 'true');
  }

  #ready(label = ''): void {
    this.#busy = false;
    this.#button.textContent = label;
    this.#button.disabled = false;
    this.#button.removeAttribute('aria-disabled');
  }
}

/** It leads away from the page once it is done. */
function perform(form: HTMLFormElement, stripe: Stripe, card: CardFields | undefined): Promise<never> {
  const { act, token = '', cents, part } = form.dataset;
  const proof = textOf(form, 'proof');
  if (act === 'take' && card) return takePlace({ stripe, form, link: token, card });
  if (act === 'pay') {
    const shown = { cents: Number(cents), part: part === undefined ? undefined : Number(part) };
    return payBalance({ stripe, token, proof, ...shown, card });
  }
  if (!card) throw new Error('The fields of the new card are not there');
  return changeCard({ stripe, token, proof, card });
}

/** Says whether anything was charged or changed, if the error does not say it. */
function reassure(form: HTMLFormElement, { isSafe, message }: ActFailed): string[] {
  if (!isSafe || message.includes(words.nothingCharged)) return [];
  return [form.dataset.act === 'card' ? words.nothingChanged : words.nothingCharged];
}

/** Shows an error at each missing field; returns a function that focuses the first one in form order. */
function findMissing(form: HTMLFormElement, card: CardFields | undefined): (() => void) | undefined {
  const { fields } = words;
  const isTaking = form.dataset.act === 'take';
  const missing = [
    isTaking ? requireTick(form) : requireText(form, 'proof', fields.proof),
    card && requireText(form, 'cardholder', fields.cardholder),
    card?.findMissing(),
  ];
  return missing.find((focus) => focus !== undefined);
}

/** Has the browser say that the tick is missing; then returns a function that focuses it. */
function requireTick(form: HTMLFormElement): (() => void) | undefined {
  const tick = find<HTMLInputElement>(form, 'input[name="agreed"]');
  return tick.reportValidity() ? undefined : () => tick.focus();
}

function after(milliseconds: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), milliseconds));
}

function find<Found extends Element>(within: ParentNode, selector: string): Found {
  const found = within.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
}
