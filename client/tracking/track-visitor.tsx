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
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import { CONSENT_CHOICE_ID, REGISTER_SECTION_ID } from '#shared/page.ts';
import { createPixel, type Pixel } from './pixel.ts';
import { publishHeights } from './publish-heights.ts';

/** Asks whether the visit may be measured, unless the answer is known, and applies it (R6.1, R6.2). */
export function trackVisitor(store: AppStore): void {
  const { metaPixelId, metaPixelScriptUrl } = store.getState().site;
  if (metaPixelId === null) return;
  rootReducer.inject({ reducerPath: 'consent', reducer: consentSlice.reducer });
  store.dispatch(consentSet(readConsent()));
  followStoredConsent((consent) => store.dispatch(consentSet(consent)));

  const pixel = createPixel({ id: metaPixelId, scriptUrl: metaPixelScriptUrl });
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
  publishHeights();
}

/** The links to the stepper, and the stepper's button that chooses the package. */
const CALLS_TO_ACTION = `a[href="#${REGISTER_SECTION_ID}"], .package-card button`;

/** Reports to the pixel which calls to action are pressed, and where, and which FAQ items are opened. */
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

/** The section, header or phone bar that contains a call to action. */
function placeOf(call: Element): string {
  const place = call.closest('section[id], header, .phone-bar');
  if (!place) return 'page';
  return place.id || (place.matches('header') ? 'header' : 'phone-bar');
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

/** The event ids that this page knows: those it reported itself, and those found in storage. */
const reported = new Set<string>();

/** Reports an event once per browser, also across reloads, history navigation and tabs. */
function reportOnce(eventId: string, report: () => void): void {
  const kept = readStored('local', STORAGE_KEY)?.split(SEPARATOR) ?? [];
  for (const id of kept) reported.add(id);
  const isNew = !reported.has(eventId);
  reported.add(eventId);
  if (!kept.includes(eventId))
    writeStored('local', STORAGE_KEY, [...reported].slice(-MOST_KEPT).join(SEPARATOR));
  if (isNew) report();
}
