import type { InputHTMLAttributes } from 'react';
import type { WrappedFieldProps } from 'redux-form';
import { FormField } from './field-frame.tsx';

interface HoneypotFieldProps {
  name: string;
  /** Set once a submit was refused because software filled the field in: it is then empty, and ignored. */
  unread: boolean;
}

/** Honeypot, hidden from people and assistive technology: the endpoint refuses a request that fills it in. */
export function HoneypotField({ name, unread }: HoneypotFieldProps) {
  return (
    <div className="visually-hidden" aria-hidden="true">
      {unread ? <HiddenInput name={name} /> : <FormField name={name} component={HoneypotInput} />}
    </div>
  );
}

function HoneypotInput({ input }: WrappedFieldProps) {
  return <HiddenInput {...input} />;
}

function HiddenInput(props: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...props} type="text" tabIndex={-1} autoComplete="off" />;
}
