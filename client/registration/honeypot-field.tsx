import type { WrappedFieldProps } from 'redux-form';
import { FormField } from './form-field.ts';

/** A field that no person sees, reaches or hears of: the endpoint refuses whoever fills it in. */
export function HoneypotField({ name }: { name: string }) {
  return <FormField name={name} component={HoneypotInput} />;
}

function HoneypotInput({ input }: WrappedFieldProps) {
  return (
    <div className="visually-hidden" aria-hidden="true">
      <input {...input} type="text" tabIndex={-1} autoComplete="off" />
    </div>
  );
}
