import '#client/registration/fields/form-reducer.ts';
import type { InputHTMLAttributes, ReactNode } from 'react';
import { type InjectedFormProps, reduxForm, type WrappedFieldProps } from 'redux-form';
import { EmailInput } from '#client/registration/fields/email-field.tsx';
import { FormError, type FormFailure } from '#client/registration/fields/form-error.tsx';
import { FormField, focusFirstError, TextField } from '#client/registration/fields/form-field.tsx';
import { registrationCopy } from '#shared/content/registration.ts';
import { CONTACT_FIELDS, type Contact, contactSchema, fieldErrors } from '#shared/registration.ts';
import { StepFooter, SubmitFooter } from './step-footer.tsx';

const copy = registrationCopy.contact;

/** What the form holds while it is being filled in. */
type ContactValues = Partial<Contact> & { website?: string };

export type ContactSubmit = (values: ContactValues) => Promise<void>;

interface ContactFormProps {
  title: string;
  /** If the last error is a question: the label of its answer, and the submit that the answer runs. */
  answer?: { words: string; submit: ContactSubmit } | undefined;
  /** Set once a submit was refused because software filled the honeypot in: it is then empty, and ignored. */
  honeypotUnread: boolean;
  /** The label of the submit button, where the form is not a step of the registration. */
  submitLabel?: string;
  /** Content between the fields and the submit button. */
  children: ReactNode;
}

/** Who she is and how to reach her: the form of the contact step, and of the waiting list. */
export const ContactForm = reduxForm<ContactValues, ContactFormProps, FormFailure>({
  destroyOnUnmount: false,
  validate: (values) => fieldErrors(contactSchema, values),
  onSubmitFail: (errors) => focusFirstError(CONTACT_FIELDS, errors),
})(ContactFields);

type ContactFieldsProps = InjectedFormProps<ContactValues, ContactFormProps, FormFailure> & ContactFormProps;

function ContactFields({ handleSubmit, submitting, error, ...props }: ContactFieldsProps) {
  const { title, answer, honeypotUnread, submitLabel, children } = props;
  const button = answer && (
    <button type="button" className="button button--quiet" onClick={handleSubmit(answer.submit)}>
      {answer.words}
    </button>
  );
  return (
    <form onSubmit={handleSubmit} noValidate>
      <h3>{title}</h3>
      <div className="contact-fields">
        <TextField name="firstName" label={copy.firstName} autoComplete="given-name" spellCheck={false} />
        <TextField name="lastName" label={copy.lastName} autoComplete="family-name" spellCheck={false} />
        <FormField name="email" label={copy.email} component={EmailInput} />
        <TextField
          name="phoneNumber"
          label={copy.phoneNumber}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          enterKeyHint="go"
        />
      </div>
      {/* Honeypot, hidden from people and assistive technology: the endpoint refuses a request that fills it in. */}
      <div className="visually-hidden" aria-hidden="true">
        {honeypotUnread ? (
          <HiddenInput name="website" />
        ) : (
          <FormField name="website" component={HoneypotInput} />
        )}
      </div>
      {children}
      <FormError error={submitting ? undefined : error} answer={button} />
      {submitLabel === undefined ? (
        <StepFooter submitting={submitting} />
      ) : (
        <SubmitFooter submitting={submitting} label={submitLabel} />
      )}
    </form>
  );
}

function HoneypotInput({ input }: WrappedFieldProps) {
  return <HiddenInput {...input} />;
}

function HiddenInput(props: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...props} type="text" tabIndex={-1} autoComplete="off" />;
}
