import type { WrappedFieldProps } from 'redux-form';
import { controlProps, errorId, FormField, fieldId, visibleError } from './field-frame.tsx';

/** The terms checkbox (R3.3). */
export function TermsField({ name, label }: { name: string; label: string }) {
  return <FormField name={name} type="checkbox" component={TermsCheckbox} label={label} />;
}

function TermsCheckbox({ input, meta, label }: WrappedFieldProps & { label: string }) {
  return (
    <div className="field field--checkbox">
      <input {...input} {...controlProps(input.name, meta)} type="checkbox" />
      <label htmlFor={fieldId(input.name)}>{label}</label>
      <p className="field__error" id={errorId(input.name)} aria-live="polite">
        {visibleError(meta)}
      </p>
    </div>
  );
}
