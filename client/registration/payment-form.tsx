import { type InjectedFormProps, reduxForm } from 'redux-form';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { fieldErrors, messages, type PaymentDetails, paymentSchema } from '#shared/registration.ts';
import { DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import { CardField } from './card-field.tsx';
import { ConfirmDetails } from './confirm-details.tsx';
import { CountryField } from './country-field.tsx';
import { type FocusCard, focusFirstError } from './focus-first-error.ts';
import { FormError } from './form-error.tsx';
import { Policies } from './policies.tsx';
import { StepFooter } from './step-footer.tsx';
import { TermsField } from './terms-field.tsx';
import { TextField } from './text-field.tsx';
import { useCardStyle } from './use-card-style.ts';

const copy = registrationCopy.payment;

/** The form's name in the store. */
export const PAYMENT_FORM = 'payment';

const FIELD_ORDER = Object.keys(paymentSchema.entries);

/** What the payment form holds while it is being filled in. */
export type PaymentValues = { [Field in keyof PaymentDetails]?: PaymentDetails[Field] | false };

/** What the form needs to know of Stripe's part in it. */
export interface StripeState {
  /** Whether Stripe's script could not be had: the card fields are then missing too. */
  stripeMissing: boolean;
  focusCard: FocusCard;
}

/** The payment step's form. */
export const PaymentForm = reduxForm<PaymentValues, StripeState>({
  form: PAYMENT_FORM,
  destroyOnUnmount: false,
  validate: (values) => fieldErrors(paymentSchema, values),
  onSubmitFail: (errors, _dispatch, _error, { focusCard }) => focusFirstError(FIELD_ORDER, errors, focusCard),
})(PaymentFields);

type PaymentFieldsProps = InjectedFormProps<PaymentValues, StripeState> & StripeState;

function PaymentFields({ handleSubmit, submitting, error, stripeMissing }: PaymentFieldsProps) {
  const formError = stripeMissing ? messages.stripeNotReady : error;
  return (
    <form onSubmit={handleSubmit} noValidate>
      <div className="payment-columns">
        <ConfirmDetails />
        <fieldset className="payment-details">
          <legend>{copy.paymentTitle}</legend>
          <TextField name="billingName" label={copy.billingName} autoComplete="cc-name" />
          <CardFields />
          <AddressFields />
        </fieldset>
      </div>
      <Policies />
      <TermsField name="termsAgreement" label={copy.termsAgreement} />
      <p className="amount-due">
        {copy.dueNow} <strong>{formatCents(DEPOSIT_CENTS)}</strong>
      </p>
      <FormError error={submitting ? undefined : formError} />
      <StepFooter submitting={submitting} />
    </form>
  );
}

function CardFields() {
  const style = useCardStyle();
  return (
    <div className="card-fields">
      <CardField name="cardNumber" label={copy.cardNumber} style={style} />
      <CardField name="cardExpiry" label={copy.cardExpiry} style={style} />
      <CardField name="cardCvc" label={copy.cardCvc} style={style} />
    </div>
  );
}

function AddressFields() {
  return (
    <div className="address-fields">
      <TextField name="addressLine1" label={copy.addressLine1} autoComplete="billing address-line1" />
      <TextField name="addressLine2" label={copy.addressLine2} autoComplete="billing address-line2" />
      <TextField name="addressCity" label={copy.addressCity} autoComplete="billing address-level2" />
      <TextField name="addressState" label={copy.addressState} autoComplete="billing address-level1" />
      <TextField name="addressPostalCode" label={copy.addressPostalCode} autoComplete="billing postal-code" />
      <CountryField name="addressCountry" label={copy.addressCountry} />
    </div>
  );
}
