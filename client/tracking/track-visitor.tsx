import { createPortal, flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import {
  ConsentBar,
  ConsentChoice,
  followStoredConsent,
  readConsent,
  storeConsent,
} from '#client/consent/consent.tsx';
import { readStored, writeStored } from '#client/store/browser-storage.ts';
import { type Consent, consentSet, consentSlice } from '#client/store/consent-slice.ts';
import { paymentIdOf, type StepperState } from '#client/store/stepper-slice.ts';
import { type AppStore, rootReducer } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationSteps } from '#shared/content/registration.ts';
import { CONSENT_CHOICE_ID, REGISTER_SECTION_ID } from '#shared/page.ts';

/** Asks whether the visit may be measured, unless the answer is known, and applies it (R6.1, R6.2). */
export function trackVisitor(store: AppStore): void {
  const { metaPixelId } = store.getState().site;
  if (metaPixelId === null) return;
  rootReducer.inject({ reducerPath: 'consent', reducer: consentSlice.reducer });
  store.dispatch(consentSet(readConsent()));
  followStoredConsent((consent) => store.dispatch(consentSet(consent)));

  const pixel = createPixel(metaPixelId);
  followPage(pixel);
  followStore(store, pixel);
  showConsent(store);
}

/** The consent bar comes first in the body and in the tab order; the choice is in the privacy panel. */
function showConsent(store: AppStore): void {
  const choicePlace = document.getElementById(CONSENT_CHOICE_ID);
  const place = document.createElement('div');
  document.body.prepend(place);
  flushSync(() =>
    createRoot(place).render(
      <Provider store={store}>
        <ConsentBar />
        {choicePlace && createPortal(<ConsentChoice />, choicePlace)}
      </Provider>,
    ),
  );
  publishBars();
}

const CALLS_TO_ACTION = `a[href="#${REGISTER_SECTION_ID}"], .package-card button`;

function followPage(pixel: Pixel): void {
  // Captured: the element's own click handler may remove it from the page.
  document.addEventListener(
    'click',
    ({ target }) => {
      const call = target instanceof Element && target.closest(CALLS_TO_ACTION);
      if (call) pixel.trackCustom('CallToAction', { place: placeOf(call) });
    },
    true,
  );
  // `toggle` does not bubble, but it can be captured.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open || !target.matches('.faq-item')) return;
      const questions = [...document.querySelectorAll('.faq-item')];
      pixel.trackCustom('FaqOpened', { question: questions.indexOf(target) + 1 });
    },
    true,
  );
}

function placeOf(call: Element): string {
  const place = call.closest('section[id], header, .phone-bar, .top-bar');
  if (!place) return 'page';
  return place.id || (place.matches('.phone-bar') ? 'phone-bar' : 'header');
}

const PAYMENT_STEP = registrationSteps.length - 1;

/**
 * Reports store changes to the pixel, from a visitor's consent until she withdraws it. The only module that
 * knows both the store and the pixel.
 */
function followStore(store: AppStore, pixel: Pixel): void {
  let known: Consent | undefined;
  const follow = (): void => {
    const { consent, stepper } = store.getState();
    if (consent !== undefined && consent !== known) {
      storeConsent(consent);
      if (consent === 'granted') pixel.grant();
      else {
        pixel.revoke();
        // This page still knows the event ids for as long as it is open.
        writeStored('local', STORAGE_KEY, undefined);
      }
    }
    known = consent;
    if (consent === 'granted') reportStep(stepper, pixel);
  };
  follow();
  store.subscribe(follow);
}

/**
 * R6.2. Reported once per payment, since steps are shown again after a reload, after Back, and in other tabs.
 */
function reportStep({ activeStep, data }: StepperState, pixel: Pixel): void {
  const { cardPaymentIntent } = data;
  const paymentIntentId = paymentIdOf(data);
  if (activeStep === PAYMENT_STEP && paymentIntentId) {
    reportOnce(`add-to-cart-${paymentIntentId}`, () => pixel.track('AddToCart'));
  }
  if (activeStep > PAYMENT_STEP && cardPaymentIntent) {
    // Another source that reports the same purchase, such as Stripe's webhook, can derive the same id: it is counted once.
    const eventId = `purchase-${cardPaymentIntent.id}`;
    const purchase = { value: facts.retreatPackage.oldPrice, currency: 'USD' };
    reportOnce(eventId, () => pixel.track('Purchase', purchase, eventId));
  }
}

const STORAGE_KEY = 'reported';
const SEPARATOR = ' ';
const MOST_KEPT = 20;

const reported = new Set<string>();

function reportOnce(eventId: string, report: () => void): void {
  const kept = readStored('local', STORAGE_KEY)?.split(SEPARATOR) ?? [];
  for (const id of kept) reported.add(id);
  const isNew = !reported.has(eventId);
  reported.add(eventId);
  if (!kept.includes(eventId))
    writeStored('local', STORAGE_KEY, [...reported].slice(-MOST_KEPT).join(SEPARATOR));
  if (isNew) report();
}

const PIXEL_SCRIPT = 'https://connect.facebook.net/en_US/fbevents.js';

type Pixel = ReturnType<typeof createPixel>;

/**
 * Creates the pixel without loading anything. It never receives a name, an e-mail address or a phone number.
 */
function createPixel(id: string) {
  let granted = false;
  let pending: PixelCall[] = [
    // Turns off the pixel's automatic reading of the page, its buttons and its fields.
    ['set', 'autoConfig', false, id],
    ['init', id],
    ['track', 'PageView'],
  ];
  return {
    grant(): void {
      granted = true;
      // The pixel reports the page's address, whose query may identify the visitor.
      if (location.search) history.replaceState(history.state, '', location.pathname + location.hash);
      const pixel = window.fbq ?? installPixelQueue();
      pixel('consent', 'grant');
      for (const call of pending.splice(0)) pixel(...call);
      loadScript();
    },
    revoke(): void {
      granted = false;
      const pixel = window.fbq;
      // The script is still loading: take back the calls that are queued for it.
      if (pixel && !pixel.callMethod) pending = pixel.queue.splice(0);
      pixel?.('consent', 'revoke');
      forgetPixelCookies();
    },
    track(name: string, data: object = {}, eventId?: string): void {
      if (!granted) return;
      if (eventId === undefined) window.fbq?.('track', name, data);
      else window.fbq?.('track', name, data, { eventID: eventId });
    },
    trackCustom(name: string, data: object = {}): void {
      if (granted) window.fbq?.('trackCustom', name, data);
    },
  };
}

const SCRIPT_ID = 'measurement-pixel';

/** Loads the script once; again only after a failure. */
function loadScript(): void {
  if (document.getElementById(SCRIPT_ID)) return;
  const script = document.createElement('script');
  script.id = SCRIPT_ID;
  script.async = true;
  script.src = PIXEL_SCRIPT;
  script.onerror = () => script.remove();
  document.head.append(script);
}

const PIXEL_COOKIES = ['_fbp', '_fbc'];

/** Deletes the pixel's cookies for this host and its parent domains: which one they are for is unknown. */
function forgetPixelCookies(): void {
  const labels = location.hostname.split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  for (const name of PIXEL_COOKIES) {
    for (const scope of ['', ...domains.map((domain) => `; domain=${domain}`)]) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that this is built for
      document.cookie = `${name}=; max-age=0; path=/${scope}`;
    }
  }
}

type PixelCall =
  | ['consent', 'grant' | 'revoke']
  | ['set', 'autoConfig', boolean, string]
  | ['init', string]
  | ['track', string, object?, { eventID: string }?]
  | ['trackCustom', string, object?];

interface PixelQueue {
  (...call: PixelCall): void;
  callMethod?: (...call: PixelCall) => void;
  queue: PixelCall[];
  push: (...call: PixelCall) => void;
  loaded: boolean;
  version: string;
  /** Prevents a page view from being counted whenever the address changes. */
  disablePushState: boolean;
}

declare global {
  interface Window {
    fbq?: PixelQueue;
    _fbq?: PixelQueue;
  }
}

function installPixelQueue(): PixelQueue {
  const call = (...args: PixelCall): void => {
    if (pixel.callMethod) pixel.callMethod(...args);
    else pixel.queue.push(args);
  };
  const pixel: PixelQueue = Object.assign(call, {
    queue: [],
    loaded: true,
    version: '2.0',
    disablePushState: true,
    push: call,
  });
  window.fbq = pixel;
  window._fbq = pixel;
  return pixel;
}

const BARS = [
  ['.phone-bar', '--phone-bar-height'],
  ['.consent-bar', '--consent-bar-height'],
] as const;

/** Tells the style sheet how high the bars at the foot of the screen are, and whether each is there. */
function publishBars(): void {
  const { style } = document.documentElement;
  const publish = (): void => {
    const [phoneBar, consentBar] = BARS.map(([selector, property]) => {
      const bar = document.querySelector(selector);
      style.setProperty(property, `${bar?.getBoundingClientRect().height ?? 0}px`);
      return bar;
    });
    const isShown = isInView(phoneBar) && !isInView(document.getElementById(REGISTER_SECTION_ID));
    style.setProperty('--phone-bar-shown', isShown ? '1' : '0');
    document.documentElement.toggleAttribute('data-consent-bar', Boolean(consentBar));
  };
  // At once: otherwise the consent bar would visibly move.
  publish();
  for (const event of ['scroll', 'resize']) addEventListener(event, publish, { passive: true });
  const place = document.querySelector('.consent');
  if (place) new MutationObserver(publish).observe(place, { childList: true });
}

function isInView(element: Element | null | undefined): boolean {
  const { top = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {};
  return top < innerHeight && bottom > 0;
}
