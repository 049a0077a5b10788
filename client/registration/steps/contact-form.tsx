import { run } from '@zootools/email-spell-checker';
import type { InputHTMLAttributes, ReactNode } from 'react';
import {
  type FieldProps,
  type FocusProps,
  FormField,
  type FormState,
  fieldId,
  makeForm,
} from '#client/registration/fields/form.tsx';
import { FormError, TextField, TextInput } from '#client/registration/fields/form-field.tsx';
import { registrationCopy } from '#shared/content/registration.ts';
import { typedEmail } from '#shared/mail-and-phone.ts';
import { CONTACT_FIELDS, type Contact, contactSchema, fieldErrors } from '#shared/registration.ts';
import { StepFooter, SubmitFooter } from './step-footer.tsx';

const copy = registrationCopy.contact;

type ContactValues = Partial<Contact> & { website?: string };

export type ContactSubmit = (values: ContactValues) => Promise<void>;

interface ContactFormProps extends FocusProps {
  title: string;
  /** If the last error is a question: the label of its answer, and the submit that the answer runs. */
  answer?: { words: string; submit: ContactSubmit } | undefined;
  /** Set once a submit was refused because software filled the honeypot in: it is then empty, and ignored. */
  honeypotUnread: boolean;
  submitLabel?: string;
  children: ReactNode;
}

export const ContactForm = makeForm<ContactValues, ContactFormProps>(ContactFields, {
  validate: (values) => fieldErrors(contactSchema, values),
  fields: CONTACT_FIELDS,
});

function ContactFields(props: FormState<ContactValues, ContactFormProps>) {
  const { handleSubmit, submitting, error } = props;
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

function HoneypotInput({ input }: FieldProps) {
  return <HiddenInput {...input} />;
}

function HiddenInput(props: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...props} type="text" tabIndex={-1} autoComplete="off" />;
}

function EmailInput({ input, meta, label }: FieldProps & { label: string }) {
  return (
    <TextInput
      input={input}
      meta={meta}
      label={label}
      note={<Suggestion input={input} meta={meta} />}
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
    />
  );
}

function Suggestion({ input, meta }: FieldProps) {
  const left = meta.touched && !meta.active && meta.valid;
  const suggestion = left ? suggestEmail(String(input.value)) : undefined;
  const accept = () => {
    input.onChange(suggestion);
    document.getElementById(fieldId(input.name))?.focus();
  };
  return (
    <div className="field__suggestion" aria-live="polite">
      {suggestion !== undefined && (
        <button type="button" onClick={accept}>
          <BreakableEmail text={copy.didYouMean(suggestion)} />
        </button>
      )}
    </div>
  );
}

/** Lets a line end before the @ rather than anywhere. */
function BreakableEmail({ text }: { text: string }) {
  const at = text.lastIndexOf('@');
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  );
}

/** The address that is probably meant when its domain looks mistyped; undefined otherwise. */
function suggestEmail(typed: string): string | undefined {
  const email = typedEmail(typed);
  const at = email.lastIndexOf('@');
  // The package would URL-encode and lower-case the part before the @.
  const meant = run({ email: `name${email.slice(at)}` })?.domain;
  return meant && `${email.slice(0, at)}@${meant}`;
}
