import { type InjectedFormProps, reduxForm } from 'redux-form';
import * as v from 'valibot';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { next, selectRegistration } from '#client/store/stepper-slice.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { type Contact, contactSchema, fieldErrors } from '#shared/registration.ts';
import { DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import { createPayment } from './create-payment.ts';
import { focusFirstError } from './focus-first-error.ts';
import { FormError } from './form-error.tsx';
import './form-reducer.ts';
import { StepFooter } from './step-footer.tsx';
import { submitOrExplain } from './submit-or-explain.ts';
import { TextField } from './text-field.tsx';
import { useInitialValues } from './use-initial-values.ts';

const copy = registrationCopy.contact;
const CONTACT_FORM = 'contact';
const FIELD_ORDER = Object.keys(contactSchema.entries);

/** Step 2: who registers (R2.5). Its submit makes the deposit's payment (R4.2). */
export default function ContactStep() {
  const registration = useAppSelector(selectRegistration);
  const dispatch = useAppDispatch();
  useInitialValues(CONTACT_FORM, contactOf(registration));

  const submit = (values: Partial<Contact>): Promise<void> =>
    submitOrExplain(async () => {
      const contact = v.parse(contactSchema, values);
      const { package: packageId = '', idempotencyKey = '', paymentIntentClientSecret } = registration;
      const request = { ...contact, package: packageId, paymentIntentClientSecret };
      const payment = await createPayment(request, idempotencyKey);
      dispatch(next({ ...contact, ...payment }));
    });
  return <ContactForm onSubmit={submit} />;
}

function contactOf({
  firstName = '',
  lastName = '',
  email = '',
  phoneNumber = '',
}: Partial<Contact>): Contact {
  return { firstName, lastName, email, phoneNumber };
}

const ContactForm = reduxForm<Partial<Contact>>({
  form: CONTACT_FORM,
  destroyOnUnmount: false,
  validate: (values) => fieldErrors(contactSchema, values),
  onSubmitFail: (errors) => focusFirstError(FIELD_ORDER, errors),
})(ContactFields);

function ContactFields({ handleSubmit, submitting, error }: InjectedFormProps<Partial<Contact>>) {
  return (
    <form onSubmit={handleSubmit} noValidate>
      <h3>{copy.title}</h3>
      <div className="contact-fields">
        <TextField name="firstName" label={copy.firstName} autoComplete="given-name" />
        <TextField name="lastName" label={copy.lastName} autoComplete="family-name" />
        <TextField name="email" label={copy.email} type="email" inputMode="email" autoComplete="email" />
        <TextField
          name="phoneNumber"
          label={copy.phoneNumber}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
        />
      </div>
      <p className="amount-due">
        {registrationCopy.package.depositLabel} <strong>{formatCents(DEPOSIT_CENTS)}</strong>
      </p>
      <FormError error={submitting ? undefined : error} />
      <StepFooter submitting={submitting} />
    </form>
  );
}
