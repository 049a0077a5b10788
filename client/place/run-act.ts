import type { Stripe } from '@stripe/stripe-js';
import { askAgain, loadStripe } from '#client/registration/payment/load-stripe.ts';
import { placeScriptWords as words } from '#shared/content/place-script-words.ts';
import { ActFailed } from './act-failed.ts';
import { type CardFields, mountCardFields } from './card-fields.ts';
import { changeCard } from './change-card.ts';
import { payBalance } from './pay-balance.ts';
import { requireText, showFieldErrors, textOf } from './text-fields.ts';

/** How long she waits for Stripe's script before she is told. */
const PATIENCE_MS = 10_000;

/** A form of her page, once Stripe's script is there. */
interface ReadyAct {
  stripe: Stripe;
  /** Undefined until its fields are shown. */
  card: CardFields | undefined;
}

/** Makes a form of her page work: it loads Stripe's script once it is opened, and does its act when it is submitted. */
export function runAct(form: HTMLFormElement): void {
  const button = find<HTMLButtonElement>(form, 'button[type="submit"]');
  const errors = find<HTMLElement>(form, '.act-error');
  const entry = find<HTMLElement>(form, '[data-new-card]');
  const details = form.closest('details');
  const page = document.querySelector<HTMLElement>('[data-stripe-key]')?.dataset ?? {};
  const source = { stripePublishableKey: page.stripeKey ?? '', stripeScriptUrl: page.stripeScript ?? null };
  let ready: ReadyAct | undefined;
  let busy = false;

  const showButton = (label: string): void => {
    button.textContent = label;
    button.disabled = false;
    if (busy) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
  };
  const tell = (...lines: readonly string[]): void => {
    errors.replaceChildren(
      ...lines.map((line, index) => {
        const paragraph = document.createElement('p');
        paragraph.className = index === 0 ? 'form-error' : 'form-reassurance';
        paragraph.textContent = line;
        return paragraph;
      }),
    );
    if (lines.length > 0) errors.focus();
  };
  const showCard = (): void => {
    if (ready && !entry.hidden) ready.card ??= mountCardFields(form, ready.stripe);
  };
  const load = async (): Promise<void> => {
    if (busy || ready) return;
    busy = true;
    showButton(words.wait);
    const loading = loadStripe(source);
    const stripe = await Promise.race([loading, after(PATIENCE_MS)]);
    busy = false;
    if (!stripe) {
      tell(words.stripeMissing, words.nothingCharged);
      showButton(words.retry);
      return;
    }
    ready = { stripe, card: undefined };
    showCard();
    showButton(button.dataset.ready ?? '');
  };
  const submit = async ({ stripe, card }: ReadyAct): Promise<void> => {
    const focusMissing = findMissing(form, entry.hidden ? undefined : card);
    if (focusMissing) {
      focusMissing();
      return;
    }
    busy = true;
    showButton(words.wait);
    try {
      await act(form, { stripe, card: entry.hidden ? undefined : card });
    } catch (error) {
      const known = error instanceof ActFailed;
      if (!known) reportError(error);
      busy = false;
      showButton(button.dataset.ready ?? '');
      const safe = form.dataset.act === 'pay' ? words.nothingCharged : words.nothingChanged;
      tell(known ? error.message : words.unexpected, ...(known && error.isSafe ? [safe] : []));
      if (known) showFieldErrors(form, error.fields);
    }
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy) return;
    tell();
    if (ready) submit(ready);
    else {
      askAgain(source);
      load();
    }
  });
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'with') return;
    entry.hidden = target.value !== 'new-card';
    showCard();
  });
  details?.addEventListener('toggle', () => {
    if (details.open) load();
  });
  if (details?.open) load();
}

/** It leads away from the page once it is done. */
function act(form: HTMLFormElement, { stripe, card }: ReadyAct): Promise<never> {
  const { act: name, token = '', cents } = form.dataset;
  if (name === 'pay') return payBalance({ stripe, token, cents: Number(cents), card });
  if (!card) throw new Error('The fields of the new card are not there');
  return changeCard({ stripe, token, proof: textOf(form, 'proof'), card });
}

/** Shows all that is missing, in the order of the form; returns what focuses the first of it. */
function findMissing(form: HTMLFormElement, card: CardFields | undefined): (() => void) | undefined {
  const { fields } = words;
  const missing = [
    form.dataset.act === 'card' ? requireText(form, 'proof', fields.proof) : undefined,
    card && requireText(form, 'cardholder', fields.cardholder),
    card?.findMissing(),
  ];
  return missing.find((focus) => focus !== undefined);
}

function after(milliseconds: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), milliseconds));
}

function find<Found extends Element>(form: HTMLFormElement, selector: string): Found {
  const found = form.querySelector<Found>(selector);
  if (!found) throw new Error(`The form has no ${selector}`);
  return found;
}
