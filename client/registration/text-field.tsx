import type { WrappedFieldProps } from 'redux-form';
import { controlProps, FieldFrame } from './field-frame.tsx';
import { type FieldProps, FormField } from './form-field.ts';

/** One line of text under a redux-form name. */
export function TextField({ name, ...props }: FieldProps & { name: string }) {
  return <FormField name={name} component={TextInput} {...props} />;
}

function TextInput({
  input,
  meta,
  label,
  type = 'text',
  autoComplete,
  inputMode,
}: WrappedFieldProps & FieldProps) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <input
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        type={type}
        autoComplete={autoComplete}
        inputMode={inputMode}
      />
    </FieldFrame>
  );
}
