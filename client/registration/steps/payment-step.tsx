import { CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { submitOrShow, useForm, useFormActions } from '#client/registration/fields/form.tsx';
import { beginAnotherCard, CARD_FIELDS, focusCardField } from '#client/registration/payment/card-fields.tsx';
import { explain, PaymentRefused, reassureAtPayment } from '#client/registration/payment/messages.ts';
import { type Means, payDeposit, readDeposit } from '#client/registration/payment/pay.ts';
import { replacePayment } from '#client/registration/payment/registration-key.ts';
import { loadStripe, requestScriptAgain } from '#client/registration/payment/stripe.ts';
import { back, merge, next, selectRegistration } from '#client/store/stepper-slice.ts';
import { becameFull, selectSite, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { contactSchema, messages, paymentSchema } from '#shared/registration.ts';
import { PaymentForm, type PaymentValues, type StripeState } from './payment-form.tsx';
import { useStartOver } from './step-footer.tsx';

const PAYMENT_FORM = 'payment';
const { reassurance } = registrationCopy;

/** Step 3: the details once more, the card, the policies (R2.6). Its submit charges the deposit (R4.3). */
export default function PaymentStep() {
  const { attempt, missing, retry } = useStripeScript();
  return (
    // Remounted for each new attempt.
    <Elements key={attempt.number} stripe={attempt.loading}>
      <PaymentStepInElements stripeMissing={missing} onRetryStripe={retry} />
    </Elements>
  );
}

function PaymentStepInElements(stripeState: Pick<StripeState, 'stripeMissing' | 'onRetryStripe'>) {
  const stripe = useStripe();
  const elements = useElements();
  const dispatch = useAppDispatch();
  const registration = useAppSelector(selectRegistration);
  const { submitBy, untouch } = useFormActions(PAYMENT_FORM);
  const [paymentClosed, setPaymentClosed] = useState(false);
  useEarlierPayment(setPaymentClosed);
  const { startOver, startingOver } = useStartOverSafely();

  const {
    firstName = '',
    lastName = '',
    amountCents = facts.prices.depositCents,
    confirmationUnheard = false,
    paymentIntentClientSecret: clientSecret,
  } = registration;
  useForm(PAYMENT_FORM, { billingName: `${firstName} ${lastName}`.trim() });

  const payWithAnother = (): void => {
    dispatch(merge(replacePayment(registration)));
    dispatch(back());
  };
  const charge = async (means: Means | undefined): Promise<void> => {
    if (!stripe || !means || !clientSecret)
      throw new PaymentRefused(messages.stripeNotReady, {
        reassurance: confirmationUnheard ? reassurance.unheard : reassurance.nothingCharged,
      });
    const cardPaymentIntent = await payDeposit({
      stripe,
      means,
      clientSecret,
      shownCents: amountCents,
      contact: v.parse(contactSchema, registration),
      confirmationUnheard,
      onConfirm: () => dispatch(merge({ confirmationUnheard: true })),
    });
    dispatch(next({ ...means.details, cardPaymentIntent, confirmationUnheard: undefined }));
  };
  const recordFailure = (error: unknown): void => {
    const refusal = refusalIn(error);
    // The provider has reported the payment's state, and it is not being processed.
    if (refusal && refusal.notOpen !== 'processing') dispatch(merge({ confirmationUnheard: undefined }));
    if (refusal?.amountCents !== undefined) dispatch(merge({ amountCents: refusal.amountCents }));
    if (refusal?.isFull) {
      payWithAnother();
      dispatch(becameFull());
    }
    setPaymentClosed(refusal?.notOpen === 'closed');
  };
  const pay = (means: Means | undefined): Promise<void> =>
    submitOrShow(
      () => charge(means),
      (error) => {
        recordFailure(error);
        return explain(error, reassureAtPayment);
      },
    );
  const submit = (values: PaymentValues): Promise<void> => {
    const card = elements?.getElement(CardNumberElement);
    const { cardNumber, cardExpiry, cardCvc, ...details } = v.parse(paymentSchema, values);
    return pay(card ? { card, details } : undefined);
  };
  return (
    <PaymentForm
      {...stripeState}
      form={PAYMENT_FORM}
      amountCents={amountCents}
      onSubmit={submit}
      onPayByWallet={(wallet, details) => submitBy(() => pay({ wallet, details }))}
      focusField={(name) => focusCardField(elements, name)}
      onAnotherCard={() => {
        untouch(...CARD_FIELDS);
        beginAnotherCard(elements);
      }}
      onStartOver={startOver}
      startingOver={startingOver}
      onReplacePayment={paymentClosed ? payWithAnother : undefined}
    />
  );
}

const refusalIn = (error: unknown) => (error instanceof PaymentRefused ? error.refusal : undefined);

function useEarlierPayment(setPaymentClosed: (closed: boolean) => void): void {
  const stripe = useStripe();
  const dispatch = useAppDispatch();
  const { showFailure } = useFormActions(PAYMENT_FORM);
  const { paymentIntentClientSecret: clientSecret } = useAppSelector(selectRegistration);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each payment; the actions are new at each rendering
  useEffect(() => {
    if (!stripe || !clientSecret) return;
    let shown = true;
    readDeposit(stripe, clientSecret).then(
      ({ paid, amountCents }) => {
        if (shown) dispatch(paid ? next({ cardPaymentIntent: paid }) : merge({ amountCents }));
      },
      (error: unknown) => {
        const { notOpen } = refusalIn(error) ?? {};
        // Any other error is ignored here: submitting reads the payment again, and shows the error then.
        if (!(shown && notOpen && error instanceof PaymentRefused)) return;
        setPaymentClosed(notOpen === 'closed');
        showFailure({ words: error.message });
      },
    );
    return () => {
      shown = false;
    };
  }, [stripe, clientSecret, dispatch, setPaymentClosed]);
}

/**
 * Starts over, unless Stripe says that the payment was made: then the completion view is shown instead.
 * `startingOver` is set while Stripe is asked.
 */
function useStartOverSafely() {
  const stripe = useStripe();
  const dispatch = useAppDispatch();
  const { paymentIntentClientSecret: clientSecret } = useAppSelector(selectRegistration);
  const { keepPayment, forgetAll } = useStartOver();
  const [startingOver, setStartingOver] = useState(false);
  const startOver = async () => {
    if (!stripe || !clientSecret) return keepPayment();
    setStartingOver(true);
    try {
      const { paid } = await readDeposit(stripe, clientSecret);
      if (paid) dispatch(next({ cardPaymentIntent: paid }));
      else keepPayment();
    } catch (error) {
      if (refusalIn(error)?.notOpen === 'closed') forgetAll();
      else keepPayment();
    } finally {
      setStartingOver(false);
    }
  };
  return { startOver, startingOver };
}

/** After this long without Stripe's script, an error is shown. */
const STRIPE_TIMEOUT_MS = 10_000;

/**
 * Loads Stripe's script when a step is shown, and again when the visitor asks for it. `missing`: it failed to load, or has
 * not loaded within ten seconds; it may still load.
 */
function useStripeScript() {
  const site = useAppSelector(selectSite);
  const [attempt, setAttempt] = useState(() => ({ number: 1, loading: loadStripe(site) }));
  const [missing, setMissing] = useState(false);

  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => setMissing(true), STRIPE_TIMEOUT_MS);
    attempt.loading.then((stripe) => {
      clearTimeout(timer);
      if (current) setMissing(stripe === null);
    });
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [attempt]);

  const retry = () => {
    requestScriptAgain(site);
    setMissing(false);
    setAttempt({ number: attempt.number + 1, loading: loadStripe(site) });
  };
  return { attempt, missing, retry };
}
