import { CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { next, selectRegistration } from '#client/store/stepper-slice.ts';
import { contactSchema, messages, paymentSchema } from '#shared/registration.ts';
import { focusCardField } from './card-field.tsx';
import './form-reducer.ts';
import { loadStripe } from './load-stripe.ts';
import { payDeposit } from './pay-deposit.ts';
import { PAYMENT_FORM, PaymentForm, type PaymentValues, type StripeState } from './payment-form.tsx';
import { PaymentRefused } from './payment-refused.ts';
import { submitOrExplain } from './submit-or-explain.ts';
import { useInitialValues } from './use-initial-values.ts';

/** Step 3: the details once more, the card, the policies (R2.6). Its submit charges the deposit (R4.3). */
export default function PaymentStep() {
  const site = useAppSelector(selectSite);
  const [stripe] = useState(() => loadStripe(site));
  const stripeMissing = useStripeMissing(stripe);
  return (
    <Elements stripe={stripe}>
      <PaymentStepInElements stripeMissing={stripeMissing} />
    </Elements>
  );
}

function useStripeMissing(loading: Promise<Stripe | null>): boolean {
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    loading.then((stripe) => setMissing(stripe === null));
  }, [loading]);
  return missing;
}

function PaymentStepInElements({ stripeMissing }: Pick<StripeState, 'stripeMissing'>) {
  const stripe = useStripe();
  const elements = useElements();
  const dispatch = useAppDispatch();
  const registration = useAppSelector(selectRegistration);

  const { firstName = '', lastName = '' } = registration;
  useInitialValues(PAYMENT_FORM, { billingName: `${firstName} ${lastName}`.trim() });

  const submit = (values: PaymentValues): Promise<void> =>
    submitOrExplain(async () => {
      const card = elements?.getElement(CardNumberElement);
      const clientSecret = registration.paymentIntentClientSecret;
      if (!stripe || !card || !clientSecret) throw new PaymentRefused(messages.stripeNotReady);
      const contact = v.parse(contactSchema, registration);
      const details = v.parse(paymentSchema, values);
      const { cardNumber, cardExpiry, cardCvc, ...billing } = details;
      const cardPaymentIntent = await payDeposit({ stripe, card, clientSecret, contact, details });
      dispatch(next({ ...billing, cardPaymentIntent }));
    });
  const focusCard = (name: string): boolean => focusCardField(elements, name);
  return <PaymentForm onSubmit={submit} stripeMissing={stripeMissing} focusCard={focusCard} />;
}
