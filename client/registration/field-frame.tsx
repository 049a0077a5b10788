import type { ReactNode } from 'react';
import type { WrappedFieldMetaProps } from 'redux-form';

interface FieldFrameProps {
  name: string;
  label: string;
  meta: WrappedFieldMetaProps;
  children: ReactNode;
}

/** A label, its control and, once the field is touched, its error (R3.5). */
export function FieldFrame({ name, label, meta, children }: FieldFrameProps) {
  const error = visibleError(meta);
  return (
    <div className="field">
      <label className="field__label" htmlFor={fieldId(name)}>
        {label}
      </label>
      {children}
      <p className="field__error" id={errorId(name)} aria-live="polite">
        {error}
      </p>
    </div>
  );
}

/** The element id of a field's control. */
export const fieldId = (name: string): string => `register-${name}`;

/** The element id of a field's error. */
export const errorId = (name: string): string => `${fieldId(name)}-error`;

/** The error to show: none before the field is touched. */
export function visibleError({ touched, error }: WrappedFieldMetaProps): string | undefined {
  return touched && typeof error === 'string' ? error : undefined;
}

/** What ties a control to its label and its error. */
export function controlProps(name: string, meta: WrappedFieldMetaProps) {
  const invalid = visibleError(meta) !== undefined;
  return {
    id: fieldId(name),
    'aria-invalid': invalid,
    'aria-describedby': invalid ? errorId(name) : undefined,
  };
}
