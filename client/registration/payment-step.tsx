import { CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import { SubmissionError } from 'redux-form';
import * as v from 'valibot';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { next, selectRegistration } from '#client/store/stepper-slice.ts';
import { contactSchema, messages, paymentSchema } from '#shared/registration.ts';
import './form-reducer.ts';
import { loadStripe } from './load-stripe.ts';
import { PaymentRefused, payDeposit } from './pay-deposit.ts';
import { PaymentForm, type PaymentValues } from './payment-form.tsx';

/** Step 3: the details once more, the card, the policies (R2.6). Its submit charges the deposit (R4.3). */
export default function PaymentStep() {
  const site = useAppSelector(selectSite);
  return (
    <Elements stripe={loadStripe(site)}>
      <PaymentStepInElements />
    </Elements>
  );
}

function PaymentStepInElements() {
  const stripe = useStripe();
  const elements = useElements();
  const dispatch = useAppDispatch();
  const registration = useAppSelector(selectRegistration);

  const submit = async (values: PaymentValues): Promise<void> => {
    const card = elements?.getElement(CardNumberElement);
    const clientSecret = registration.paymentIntentClientSecret;
    if (!stripe || !card || !clientSecret) throw new SubmissionError({ _error: messages.stripeNotReady });
    const contact = v.parse(contactSchema, registration);
    const details = v.parse(paymentSchema, values);
    const { cardNumber, cardExpiry, cardCvc, ...billing } = details;
    try {
      const fallbackMessage = messages.unexpected;
      const cardPaymentIntent = await payDeposit({
        stripe,
        card,
        clientSecret,
        contact,
        details,
        fallbackMessage,
      });
      dispatch(next({ ...billing, cardPaymentIntent }));
    } catch (error) {
      const refused = error instanceof PaymentRefused;
      // biome-ignore lint/suspicious/noConsole: not the visitor's doing, so whoever looks after the page should see it
      if (!refused) console.error(error);
      throw new SubmissionError({ _error: refused ? error.message : messages.unexpected });
    }
  };
  const { firstName = '', lastName = '' } = registration;
  return <PaymentForm onSubmit={submit} initialValues={{ billingName: `${firstName} ${lastName}`.trim() }} />;
}
