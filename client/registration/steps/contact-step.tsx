import { useRef } from 'react';
import * as v from 'valibot';
import { submitOrShow, useForm } from '#client/registration/fields/form.tsx';
import { gotNoAnswer } from '#client/registration/payment/http-client.ts';
import { explain, RegistrationRefused } from '#client/registration/payment/messages.ts';
import { requestPayment } from '#client/registration/payment/request.ts';
import { merge, next, type RegistrationData, selectRegistration } from '#client/store/stepper-slice.ts';
import { becameFull, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS, contactIn, contactSchema, RETREAT_FULL } from '#shared/registration.ts';
import { ContactForm, type ContactSubmit } from './contact-form.tsx';
import { PolicyDetails } from './policies.tsx';

const { contact: copy, reassurance } = registrationCopy;
const CONTACT_FORM = 'contact';

/** Step 2: who registers (R2.5). Its submit makes the deposit's payment (R4.2). */
export default function ContactStep() {
  const registration = useAppSelector(selectRegistration);
  const dispatch = useAppDispatch();
  useForm(CONTACT_FORM, contactIn(registration));
  const edited = useRef<AbortController>(undefined);

  const keep = (progress: RegistrationData) => void dispatch(merge(progress));
  const request: ContactSubmit = async ({ website = '', ...values }) => {
    const contact = v.parse(contactSchema, values);
    edited.current = new AbortController();
    try {
      await requestPayment(registration, { contact, website, edited: edited.current.signal }, keep);
    } catch (error) {
      if (error instanceof RegistrationRefused && error.code === RETREAT_FULL) dispatch(becameFull());
      throw error;
    }
    dispatch(next(contact));
  };
  /** This step charges nothing, but a payment step that she came back from may have. */
  const reassure = (error: unknown): string => {
    if (registration.confirmationUnheard) return reassurance.unheard;
    return gotNoAnswer(error) ? reassurance.offline : reassurance.nothingCharged;
  };
  const submit: ContactSubmit = (values) =>
    submitOrShow(
      () => request(values),
      (error) => explain(error, reassure, CONTACT_FIELDS),
    );
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
