import { CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import { useEffect, useState } from 'react';
import { SubmissionError, startSubmit, stopSubmit, untouch } from 'redux-form';
import * as v from 'valibot';
import { type FormFailure, useInitialValues } from '#client/registration/fields/form-field.tsx';
import { beginAnotherCard, CARD_FIELDS, focusCardField } from '#client/registration/payment/card-fields.tsx';
import {
  ConsentNotRecorded,
  type Means,
  payDeposit,
  readDeposit,
} from '#client/registration/payment/pay-deposit.ts';
import {
  PaymentRefused,
  ProviderUnreachable,
  submitOrExplain,
} from '#client/registration/payment/refusals.ts';
import { loadStripe, requestScriptAgain } from '#client/registration/payment/stripe.ts';
import { replacePayment } from '#client/registration/progress/progress.ts';
import { back, merge, next, selectRegistration } from '#client/store/stepper-slice.ts';
import { becameFull, selectSite, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { contactSchema, messages, paymentSchema } from '#shared/registration.ts';
import { PAYMENT_FORM, PaymentForm, type PaymentValues, type StripeState } from './payment-form.tsx';
import { useStartOver } from './step-footer.tsx';

const { reassurance } = registrationCopy;

const explanation = {
  reassure: (error: unknown) => {
    if (error instanceof ConsentNotRecorded) return reassurance.nothingCharged;
    if (!(error instanceof ProviderUnreachable)) return undefined;
    return error.mayBeCharged ? reassurance.unheard : reassurance.offline;
  },
};

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
  const [paymentClosed, setPaymentClosed] = useState(false);
  useEarlierPayment(setPaymentClosed);
  const { startOver, startingOver } = useStartOverSafely();

  const {
    firstName = '',
    lastName = '',
    amountCents = facts.prices.depositCents,
    confirmationUnheard = false,
  } = registration;
  useInitialValues(PAYMENT_FORM, { billingName: `${firstName} ${lastName}`.trim() });

  const pay = (means: Means | undefined): Promise<void> =>
    submitOrExplain(async () => {
      const clientSecret = registration.paymentIntentClientSecret;
      if (!stripe || !means || !clientSecret)
        throw new PaymentRefused(messages.stripeNotReady, {
          reassurance: confirmationUnheard ? reassurance.unheard : reassurance.nothingCharged,
        });
      const contact = v.parse(contactSchema, registration);
      const charge = {
        stripe,
        means,
        clientSecret,
        shownCents: amountCents,
        contact,
        confirmationUnheard,
        onConfirm: () => dispatch(merge({ confirmationUnheard: true })),
      };
      const cardPaymentIntent = await payDeposit(charge).catch(recordFailure);
      dispatch(next({ ...means.details, cardPaymentIntent, confirmationUnheard: undefined }));
    }, explanation);
  const submit = (values: PaymentValues): Promise<void> => {
    const card = elements?.getElement(CardNumberElement);
    const { cardNumber, cardExpiry, cardCvc, ...details } = v.parse(paymentSchema, values);
    return pay(card ? { card, details } : undefined);
  };
  const payByWallet: StripeState['onPayByWallet'] = async (wallet, details) => {
    dispatch({ ...startSubmit(PAYMENT_FORM) });
    try {
      await pay({ wallet, details });
      dispatch({ ...stopSubmit(PAYMENT_FORM) });
      return true;
    } catch (error) {
      if (!(error instanceof SubmissionError)) throw error;
      dispatch({ ...stopSubmit(PAYMENT_FORM, error.errors) });
      return false;
    }
  };
  const recordFailure = (error: unknown): never => {
    const { notOpen, amountCents, isFull } = refusalIn(error) ?? {};
    // The provider has reported the payment's state, and it is not being processed.
    if (refusalIn(error) && notOpen !== 'processing') dispatch(merge({ confirmationUnheard: undefined }));
    if (amountCents !== undefined) dispatch(merge({ amountCents }));
    if (isFull) {
      payWithAnother();
      dispatch(becameFull());
    }
    setPaymentClosed(notOpen === 'closed');
    throw error;
  };
  const anotherCard = (): void => {
    dispatch({ ...untouch(PAYMENT_FORM, ...CARD_FIELDS) });
    beginAnotherCard(elements);
  };
  const payWithAnother = (): void => {
    dispatch(merge(replacePayment(registration)));
    dispatch(back());
  };
  return (
    <PaymentForm
      {...stripeState}
      amountCents={amountCents}
      onSubmit={submit}
      onPayByWallet={payByWallet}
      focusCard={(name) => focusCardField(elements, name)}
      onAnotherCard={anotherCard}
      onStartOver={startOver}
      startingOver={startingOver}
      onReplacePayment={paymentClosed ? payWithAnother : undefined}
    />
  );
}

const refusalIn = (error: unknown) => (error instanceof PaymentRefused ? error.refusal : undefined);

/**
 * When the step is shown, reads the payment's amount, and whether it is already paid or closed.
 */
function useEarlierPayment(setPaymentClosed: (closed: boolean) => void): void {
  const stripe = useStripe();
  const dispatch = useAppDispatch();
  const { paymentIntentClientSecret: clientSecret } = useAppSelector(selectRegistration);
  useEffect(() => {
    if (!stripe || !clientSecret) return;
    let shown = true;
    readDeposit(stripe, clientSecret).then(
      ({ paid, amountCents }) => {
        if (shown) dispatch(paid ? next({ cardPaymentIntent: paid }) : merge({ amountCents }));
      },
      (error: unknown) => {
        // Any other error is ignored here: submitting reads the payment again, and shows the error then.
        if (!(error instanceof PaymentRefused && error.refusal.notOpen && shown)) return;
        setPaymentClosed(error.refusal.notOpen === 'closed');
        const failure: FormFailure = { words: error.message };
        dispatch({ ...stopSubmit(PAYMENT_FORM, { _error: failure }) });
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
