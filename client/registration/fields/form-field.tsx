import { type InputHTMLAttributes, type ReactNode, useEffect, useRef } from 'react';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/links.tsx';
import { registrationCopy } from '#shared/content/registration.ts';
import { type FieldMeta, type FieldProps, type FormFailure, FormField, fieldId } from './form.tsx';

interface FieldFrameProps {
  name: string;
  label: string;
  meta: FieldMeta;
  children: ReactNode;
  note?: ReactNode;
}

export function FieldFrame({ name, label, meta, children, note }: FieldFrameProps) {
  return (
    <div className="field">
      <label className="field__label" htmlFor={fieldId(name)}>
        {label}
      </label>
      {children}
      <div className="field__notes">
        <FieldError name={name} meta={meta} />
        {note}
      </div>
    </div>
  );
}

export function FieldError({ name, meta }: { name: string; meta: FieldMeta }) {
  return (
    <p className="field__error" id={errorId(name)} aria-live="polite">
      {visibleError(meta)}
    </p>
  );
}

const errorId = (name: string): string => `${fieldId(name)}-error`;

export function visibleError({ touched, error }: FieldMeta): string | undefined {
  return touched && typeof error === 'string' ? error : undefined;
}

export function controlProps(name: string, meta: FieldMeta, required = true) {
  const invalid = visibleError(meta) !== undefined;
  return {
    id: fieldId(name),
    'aria-required': required,
    'aria-invalid': invalid,
    'aria-describedby': invalid ? errorId(name) : undefined,
  };
}

interface TextFieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | ('autoCapitalize' | 'autoComplete' | 'autoCorrect' | 'enterKeyHint' | 'inputMode')
    | ('required' | 'spellCheck')
  > {
  label: string;
  type?: string;
}

export function TextField({ name, ...props }: TextFieldProps & { name: string }) {
  return <FormField<TextFieldProps> name={name} component={TextInput} {...props} />;
}

interface TextInputProps extends FieldProps, TextFieldProps {
  note?: ReactNode;
}

export function TextInput({
  input,
  meta,
  label,
  required = true,
  type = 'text',
  autoCapitalize = type === 'text' ? 'words' : undefined,
  enterKeyHint = 'next',
  note,
  ...keyboard
}: TextInputProps) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta} note={note}>
      <input
        {...input}
        {...controlProps(input.name, meta, required)}
        {...keyboard}
        className="field__control"
        type={type}
        autoCapitalize={autoCapitalize}
        enterKeyHint={enterKeyHint}
      />
    </FieldFrame>
  );
}

interface FormErrorProps {
  error: FormFailure | undefined;
  answer?: ReactNode;
}

/** The error of the whole form, announced when it appears (R3.5), and how to reach the office. */
export function FormError({ error, answer }: FormErrorProps) {
  const asks = Boolean(error && answer);
  const words = useRef<HTMLDivElement>(null);
  // Focuses the error when it is a question, so that its answer is next in the tab order.
  useEffect(() => {
    if (!asks) return;
    words.current?.focus({ preventScroll: true });
    words.current?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [asks]);
  return (
    <div className={asks ? 'form-question' : undefined}>
      <div ref={words} role="alert" tabIndex={asks ? -1 : undefined}>
        {error && <p className="form-error">{error.words}</p>}
        {error?.reassurance && <p className="form-reassurance">{error.reassurance}</p>}
      </div>
      {asks && answer}
      {error && (
        <p className="form-help">
          {registrationCopy.errorHelp} <OfficePhoneLink />, <OfficeEmailLink />
        </p>
      )}
    </div>
  );
}
