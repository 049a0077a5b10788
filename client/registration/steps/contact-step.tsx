import { useRef } from 'react';
import * as v from 'valibot';
import { useInitialValues } from '#client/registration/fields/form-field.tsx';
import { gotNoAnswer } from '#client/registration/payment/http-client.ts';
import { submitOrExplain } from '#client/registration/payment/refusals.ts';
import { RegistrationRefused, requestPayment } from '#client/registration/payment/request-payment.ts';
import { merge, next, type RegistrationData, selectRegistration } from '#client/store/stepper-slice.ts';
import { becameFull, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS, contactIn, contactSchema, RETREAT_FULL } from '#shared/registration.ts';
import { ContactForm, type ContactSubmit as Submit } from './contact-form.tsx';
import { PolicyDetails } from './policies.tsx';

const copy = registrationCopy.contact;
const CONTACT_FORM = 'contact';

/** Step 2: who registers (R2.5). Its submit makes the deposit's payment (R4.2). */
export default function ContactStep() {
  const registration = useAppSelector(selectRegistration);
  const dispatch = useAppDispatch();
  useInitialValues(CONTACT_FORM, contactIn(registration));

  const edited = useRef<AbortController>(undefined);
  const keep = (progress: RegistrationData) => {
    dispatch(merge(progress));
  };
  const submit: Submit = ({ website = '', ...values }) =>
    submitOrExplain(async () => {
      const contact = v.parse(contactSchema, values);
      edited.current = new AbortController();
      try {
        await requestPayment(registration, { contact, website, edited: edited.current.signal }, keep);
      } catch (error) {
        if (error instanceof RegistrationRefused && error.code === RETREAT_FULL) dispatch(becameFull());
        throw error;
      }
      dispatch(next(contact));
    }, explanationFor(registration));
  return (
    <ContactForm
      form={CONTACT_FORM}
      title={copy.title}
      onSubmit={submit}
      onChange={() => edited.current?.abort()}
      honeypotUnread={registration.hiddenFieldFilled ?? false}
    >
      <p className="amount-due">
        {copy.dueNext} <strong>{formatCents(facts.prices.depositCents)}</strong>
      </p>
      <p className="amount-note">{copy.nothingChargedHere}</p>
      <PolicyDetails />
    </ContactForm>
  );
}

/** This step charges nothing, but a payment step that she came back from may have. */
function explanationFor({ confirmationUnheard }: RegistrationData) {
  const { unheard, offline, nothingCharged } = registrationCopy.reassurance;
  const reassure = (error: unknown): string => {
    if (confirmationUnheard) return unheard;
    return gotNoAnswer(error) ? offline : nothingCharged;
  };
  return { formFields: CONTACT_FIELDS, reassure };
}
