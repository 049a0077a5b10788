import type { StripeExpressCheckoutElementOptions } from '@stripe/stripe-js';
import { openWalletSheet } from './overlays.ts';

/** The events of an element, as a page listens to them. https://docs.stripe.com/js/element/events */
export class Emitter<Event> {
  readonly #handlers = new Map<string, Set<(event: Event) => void>>();

  on(name: string, handler: (event: Event) => void): this {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    return this;
  }

  off(name: string, handler: (event: Event) => void): this {
    this.#handlers.get(name)?.delete(handler);
    return this;
  }

  protected emit(name: string, event: Event): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event);
  }

  protected forgetHandlers(): void {
    this.#handlers.clear();
  }
}

declare global {
  interface Window {
    /** The number of the card in the wallet of this device; without one it has no wallet. */
    sandboxWallet?: string | null;
  }
}

/** As an input method for Japanese or Chinese typed it into the telephone. */
const WALLET_OWNER = {
  name: 'Walda Wallet',
  address: {
    line1: '7 Pocket Street',
    line2: null,
    city: 'Oakland',
    state: 'CA',
    postal_code: '９４６０１',
    country: 'US',
  },
};

export type GroupOptions = { mode?: string; amount?: number; paymentMethodCreation?: string };

export type ButtonOptions = Pick<StripeExpressCheckoutElementOptions, 'buttonHeight' | 'buttonTheme'>;

type WalletEvent = Record<string, unknown>;

/** One wallet, in place of Apple Pay, Google Pay and the others. https://docs.stripe.com/js/element/express_checkout_element */
export class ExpressCheckout extends Emitter<WalletEvent> {
  readonly #host = document.createElement('div');
  readonly #group: GroupOptions;
  readonly #onDestroy: () => void;
  #confirmed: string | undefined;
  /** Closes the sheet of a payment that is being made; the page takes the button away once it is paid. */
  #closeSheet: (() => void) | undefined;

  constructor(group: GroupOptions, options: ButtonOptions, onDestroy: () => void) {
    super();
    if (group.mode !== 'payment' || !group.amount) throw new Error('A wallet needs a group with an amount.');
    this.#group = group;
    this.#onDestroy = onDestroy;
    const number = window.sandboxWallet;
    if (!number) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Pay with the test wallet';
    const [background, color] =
      options.buttonTheme?.googlePay === 'white' ? ['#fff', '#000'] : ['#000', '#fff'];
    const size = { inlineSize: '100%', blockSize: `${options.buttonHeight ?? 44}px`, borderRadius: '8px' };
    Object.assign(button.style, { ...size, border: '0', font: '16px system-ui', background, color });
    button.addEventListener('click', () => this.#press(number));
    this.#host.attachShadow({ mode: 'open' }).append(button);
  }

  mount(place: HTMLElement): void {
    place.append(this.#host);
    const paymentMethods = window.sandboxWallet
      ? { applePay: { available: false }, googlePay: { available: false }, link: { available: true } }
      : undefined;
    setTimeout(() => {
      this.emit('ready', {});
      this.emit('availablepaymentmethodschange', { paymentMethods });
    });
  }

  destroy(): void {
    this.#host.remove();
    this.#closeSheet?.();
    this.forgetHandlers();
    this.#onDestroy();
  }

  update(_options: ButtonOptions): void {}

  takeCard(): string {
    const number = this.#confirmed;
    this.#confirmed = undefined;
    if (number === undefined) throw new Error('No wallet has confirmed its sheet.');
    return number;
  }

  #press(number: string): void {
    const open = async () => {
      const close = await openWalletSheet(this.#group.amount ?? 0, number);
      if (!close) return this.emit('cancel', {});
      this.#closeSheet = close;
      this.#confirmed = number;
      this.emit('confirm', { billingDetails: WALLET_OWNER, paymentFailed: close });
    };
    this.emit('click', { expressPaymentType: 'link', resolve: open, reject: () => {} });
  }
}
