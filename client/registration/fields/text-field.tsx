import type { InputHTMLAttributes } from 'react';
import type { WrappedFieldProps } from 'redux-form';
import { controlProps, FieldFrame, type FieldProps, FormField } from './field-frame.tsx';

type KeyboardProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autoCapitalize' | 'autoCorrect' | 'enterKeyHint' | 'spellCheck'
>;

/** What a text field is told; it is required unless it says otherwise. */
interface TextFieldProps extends FieldProps, KeyboardProps {
  required?: boolean;
}

/** One line of text under a redux-form name. */
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
