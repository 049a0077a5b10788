import { storeConsent } from '#client/consent/stored-consent.ts';
import type { Consent } from '#client/store/consent-slice.ts';
import { paymentIdOf } from '#client/store/registration-data.ts';
import type { StepperState } from '#client/store/stepper-slice.ts';
import type { AppStore } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import type { Pixel } from './pixel.ts';
import { forgetReported, reportOnce } from './report-once.ts';

const PAYMENT_STEP = registrationSteps.length - 1;

/**
 * Reports store changes to the pixel, from a visitor's consent until she withdraws it. The only module that
 * knows both the store and the pixel.
 */
export function followStore(store: AppStore, pixel: Pixel): void {
  let known: Consent | undefined;
  const follow = (): void => {
    const { consent, stepper } = store.getState();
    if (consent !== undefined && consent !== known) {
      storeConsent(consent);
      if (consent === 'granted') pixel.grant();
      else stop(pixel);
    }
    known = consent;
    if (consent === 'granted') reportStep(stepper, pixel);
  };
  follow();
  store.subscribe(follow);
}

function stop(pixel: Pixel): void {
  pixel.revoke();
  forgetReported();
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
    const eventId = purchaseEventId(cardPaymentIntent.id);
    const purchase = { value: facts.retreatPackage.oldPrice, currency: 'USD' };
    reportOnce(eventId, () => pixel.track('Purchase', purchase, eventId));
  }
}

/**
 * The pixel's event id of a purchase. Another source that reports the same purchase, such as Stripe's
 * webhook, can derive the same id from the PaymentIntent, so that the purchase is counted once.
 */
function purchaseEventId(paymentIntentId: string): string {
  return `purchase-${paymentIntentId}`;
}
