import { useState } from 'react';
import { type InjectedFormProps, reduxForm } from 'redux-form';
import * as v from 'valibot';
import { EmailField } from '#client/registration/fields/email-field.tsx';
import { focusFirstError } from '#client/registration/fields/field-frame.tsx';
import { FormError, type FormFailure } from '#client/registration/fields/form-error.tsx';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import type { RegistrationData } from '#client/store/registration-data.ts';
import { becameFull } from '#client/store/site-slice.ts';
import { merge, next, selectRegistration } from '#client/store/stepper-slice.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { type Contact, contactSchema, fieldErrors, RETREAT_FULL } from '#shared/registration.ts';
import '#client/registration/fields/form-reducer.ts';
import { HoneypotField } from '#client/registration/fields/honeypot-field.tsx';
import { TextField } from '#client/registration/fields/text-field.tsx';
import { useInitialValues } from '#client/registration/fields/use-initial-values.ts';
import { RegistrationRefused } from '#client/registration/payment/create-payment.ts';
import { NetworkError, TimeoutError } from '#client/registration/payment/http-client.ts';
import { requestPayment } from '#client/registration/payment/request-payment.ts';
import { submitOrExplain } from '#client/registration/payment/submit-or-explain.ts';
import { PolicyDetails } from './policies.tsx';
import { StepFooter } from './step-footer.tsx';

const copy = registrationCopy.contact;
const CONTACT_FORM = 'contact';
const FIELD_ORDER = Object.keys(contactSchema.entries);

/** What the form holds while it is being filled in. */
type ContactValues = Partial<Contact> & { website?: string };

type Submit = (values: ContactValues) => Promise<void>;

/** What the form needs to know of its submits. */
interface SubmitState {
  /** Whether the last submit was answered with the question whether the place is for somebody else. */
  asked: boolean;
  onSomebodyElse: Submit;
  honeypotUnread: boolean;
}

/** Step 2: who registers (R2.5). Its submit makes the deposit's payment (R4.2). */
export default function ContactStep() {
  const registration = useAppSelector(selectRegistration);
  const dispatch = useAppDispatch();
  useInitialValues(CONTACT_FORM, contactOf(registration));

  const keep = (progress: RegistrationData) => {
    dispatch(merge(progress));
  };
  const [asked, setAsked] = useState(false);
  const submitFor =
    (somebodyElse?: true): Submit =>
    ({ website = '', ...values }) =>
      submitOrExplain(async () => {
        setAsked(false);
        const contact = v.parse(contactSchema, values);
        try {
          await requestPayment(registration, { contact: { ...contact, somebodyElse }, website }, keep);
        } catch (error) {
          const code = error instanceof RegistrationRefused ? error.code : undefined;
          setAsked(code === 'registered_before');
          if (code === RETREAT_FULL) dispatch(becameFull());
          throw error;
        }
        dispatch(next(contact));
      }, explanationFor(registration));
  return (
    <ContactForm
      onSubmit={submitFor()}
      onSomebodyElse={submitFor(true)}
      asked={asked}
      honeypotUnread={registration.hiddenFieldFilled ?? false}
    />
  );
}

/** This step charges nothing; a payment step that was left may have. */
function explanationFor({ confirmationUnheard }: RegistrationData) {
  const { unheard, offline, nothingCharged } = registrationCopy.reassurance;
  const reassure = (error: unknown): string => {
    if (confirmationUnheard) return unheard;
    return error instanceof NetworkError || error instanceof TimeoutError ? offline : nothingCharged;
  };
  return { formFields: FIELD_ORDER, reassure };
}

function contactOf({
  firstName = '',
  lastName = '',
  email = '',
  phoneNumber = '',
}: Partial<Contact>): Contact {
  return { firstName, lastName, email, phoneNumber };
}

const ContactForm = reduxForm<ContactValues, SubmitState, FormFailure>({
  form: CONTACT_FORM,
  destroyOnUnmount: false,
  validate: (values) => fieldErrors(contactSchema, values),
  onSubmitFail: (errors) => focusFirstError(FIELD_ORDER, errors),
})(ContactFields);

type ContactFieldsProps = InjectedFormProps<ContactValues, SubmitState, FormFailure> & SubmitState;

function ContactFields({ handleSubmit, submitting, error, ...submitState }: ContactFieldsProps) {
  const { asked, onSomebodyElse, honeypotUnread } = submitState;
  const yes = (
    <button type="button" className="button button--quiet" onClick={handleSubmit(onSomebodyElse)}>
      {registrationCopy.somebodyElse}
    </button>
  );
  return (
    <form onSubmit={handleSubmit} noValidate>
      <h3>{copy.title}</h3>
      <div className="contact-fields">
        <TextField
          name="firstName"
          label={copy.firstName}
          autoComplete="given-name"
          autoCapitalize="words"
          spellCheck={false}
        />
        <TextField
          name="lastName"
          label={copy.lastName}
          autoComplete="family-name"
          autoCapitalize="words"
          spellCheck={false}
        />
        <EmailField name="email" label={copy.email} />
        <TextField
          name="phoneNumber"
          label={copy.phoneNumber}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          enterKeyHint="go"
        />
      </div>
      <HoneypotField name="website" unread={honeypotUnread} />
      <p className="amount-due">
        {copy.dueNext} <strong>{formatCents(facts.prices.depositCents)}</strong>
      </p>
      <p className="amount-note">{copy.nothingChargedHere}</p>
      <PolicyDetails />
      <FormError error={submitting ? undefined : error} answer={asked && yes} />
      <StepFooter submitting={submitting} />
    </form>
  );
}
