import type { InputHTMLAttributes } from 'react';
import type { WrappedFieldProps } from 'redux-form';
import { controlProps, FieldFrame, type FieldProps, FormField } from './field-frame.tsx';

type KeyboardProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autoCapitalize' | 'autoCorrect' | 'enterKeyHint' | 'spellCheck'
>;

/** Props of a text field; it is required by default. */
interface TextFieldProps extends FieldProps, KeyboardProps {
  required?: boolean;
}

/** A text input bound to a redux-form field. */
export function TextField({ name, ...props }: TextFieldProps & { name: string }) {
  return <FormField name={name} component={TextInput} {...props} />;
}

function TextInput({
  input,
  meta,
  label,
  required = true,
  type = 'text',
  enterKeyHint = 'next',
  ...keyboard
}: WrappedFieldProps & TextFieldProps) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <input
        {...input}
        {...controlProps(input.name, meta, required)}
        {...keyboard}
        className="field__control"
        type={type}
        enterKeyHint={enterKeyHint}
      />
    </FieldFrame>
  );
}
