import { type ComponentProps, type SubmitEvent, useState } from 'react';
import { AddressFields } from '#client/registration/fields/billing-address.tsx';
import {
  type FieldProps,
  type FocusProps,
  FormField,
  type FormState,
  fieldId,
  makeForm,
  useFieldValue,
} from '#client/registration/fields/form.tsx';
import { controlProps, FieldError, FormError, TextField } from '#client/registration/fields/form-field.tsx';
import { CardFields, StripeMissing } from '#client/registration/payment/card-fields.tsx';
import { Wallets } from '#client/registration/payment/wallets.tsx';
import { back, selectRegistration } from '#client/store/stepper-slice.ts';
import { selectSite, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { Entries } from '#client/ui/texts.tsx';
import { sumsToPay } from '#shared/content/after-deposit.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS, fieldErrors, type PaymentDetails, paymentSchema } from '#shared/registration.ts';
import { Policies } from './policies.tsx';
import { StepFooter } from './step-footer.tsx';

const copy = registrationCopy.payment;

export type PaymentValues = { [Field in keyof PaymentDetails]?: PaymentDetails[Field] | false };

export interface StripeState extends FocusProps {
  amountCents: number;
  stripeMissing: boolean;
  onRetryStripe: () => void;
  onPayByWallet: ComponentProps<typeof Wallets>['onPay'];
  onAnotherCard: () => void;
  onStartOver: () => void;
  /** Whether Stripe is being asked if the payment was made, before starting over; submit is disabled. */
  startingOver: boolean;
  /** Runs on submit instead of paying, once the visitor was shown that the payment is closed. */
  onReplacePayment: (() => void) | undefined;
}

export const PaymentForm = makeForm<PaymentValues, StripeState>(PaymentFields, {
  validate: (values) => fieldErrors(paymentSchema, values),
  fields: Object.keys(paymentSchema.entries),
});

function PaymentFields(props: FormState<PaymentValues, StripeState>) {
  const { form, handleSubmit, submitting, error, touch, ...stripeState } = props;
  const { amountCents, stripeMissing, onRetryStripe, onStartOver, startingOver, onReplacePayment } =
    stripeState;
  const shown = submitting ? undefined : error;
  const anotherCard = (
    <button type="button" className="button button--quiet" onClick={stripeState.onAnotherCard}>
      {copy.anotherCard}
    </button>
  );
  const { balanceTiming } = useAppSelector(selectSite);
  const busy = submitting || startingOver;
  const [cardsReady, setCardsReady] = useState(false);
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    onReplacePayment?.();
  };
  return (
    <form onSubmit={onReplacePayment && error ? begin : handleSubmit} noValidate>
      <div className="payment-columns">
        <ConfirmDetails amountCents={amountCents} submitting={busy} />
        <fieldset className="payment-details">
          <legend>{copy.paymentTitle}</legend>
          {/* Beside the card, which she is to change: the button is more than two screens of a phone below. */}
          <FormError error={shown?.cardRefused ? shown : undefined} answer={anotherCard} />
          <TextField name="billingName" label={copy.billingName} autoComplete="cc-name" spellCheck={false} />
          {stripeMissing ? (
            <StripeMissing onRetry={onRetryStripe} />
          ) : (
            <CardFields onReady={() => setCardsReady(true)} />
          )}
          <AddressFields form={form} />
        </fieldset>
      </div>
      <Policies />
      <FormField name="termsAgreement" type="checkbox" label={copy.termsAgreement} component={TickField} />
      <dl className="amount-due">
        <Entries of={sumsToPay(facts, amountCents, balanceTiming)} />
      </dl>
      {facts.statementSuffix !== undefined && (
        <p className="amount-note">{copy.onStatement(facts.statementSuffix)}</p>
      )}
      <FormError error={shown?.cardRefused ? undefined : shown} />
      {cardsReady && !stripeMissing && (
        <FormWallets
          form={form}
          busy={busy}
          amountCents={amountCents}
          onReplacePayment={onReplacePayment}
          touch={touch}
          onPay={stripeState.onPayByWallet}
        />
      )}
      <StepFooter submitting={busy} onStartOver={onStartOver} />
    </form>
  );
}

/** A checkbox that must be set, as that of the terms (R3.3). */
function TickField({ input, meta, label }: FieldProps & { label: string }) {
  return (
    <div className="field field--checkbox">
      <input {...input} {...controlProps(input.name, meta)} type="checkbox" />
      <label htmlFor={fieldId(input.name)}>{label}</label>
      <FieldError name={input.name} meta={meta} />
    </div>
  );
}

interface ConfirmDetailsProps {
  amountCents: number;
  submitting: boolean;
}

function ConfirmDetails({ amountCents, submitting }: ConfirmDetailsProps) {
  const dispatch = useAppDispatch();
  const { liveStreamingPass, ...entered } = useAppSelector(selectRegistration);
  const details = CONTACT_FIELDS.map((field) => ({
    title: registrationCopy.contact[field],
    text: entered[field],
  }));
  return (
    <section className="confirm-details" aria-labelledby="confirm-title">
      <div className="confirm-details__head">
        <h3 id="confirm-title">{copy.confirmTitle}</h3>
        <button
          type="button"
          className="text-button confirm-details__change"
          disabled={submitting}
          onClick={() => dispatch(back())}
        >
          {copy.change} <span className="visually-hidden">{copy.changeWhat}</span>
        </button>
      </div>
      <dl>
        <Entries of={details} />
      </dl>
      <p>{`${liveStreamingPass}: ${formatCents(amountCents)}`}</p>
    </section>
  );
}

interface FormWalletsProps extends Pick<ComponentProps<typeof Wallets>, 'amountCents' | 'onPay'> {
  form: string;
  busy: boolean;
  onReplacePayment: (() => void) | undefined;
  touch: (field: string) => void;
}

function FormWallets({ form, busy, onReplacePayment, touch, onPay, amountCents }: FormWalletsProps) {
  const agreed = useFieldValue(form, 'termsAgreement') === true;
  const mayOpen = (): boolean => {
    if (busy) return false;
    if (onReplacePayment) onReplacePayment();
    else if (!agreed) leadToTerms();
    return agreed && !onReplacePayment;
  };
  const leadToTerms = (): void => {
    touch('termsAgreement');
    const tick = document.getElementById(fieldId('termsAgreement'));
    tick?.scrollIntoView({ block: 'center' });
    tick?.focus({ preventScroll: true });
  };
  return (
    <Wallets
      amountCents={amountCents}
      mayOpen={mayOpen}
      onPay={(wallet, details) => onPay(wallet, { ...details, termsAgreement: true })}
    />
  );
}
