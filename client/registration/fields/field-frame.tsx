import type { ReactNode } from 'react';
import type { WrappedFieldMetaProps } from 'redux-form';

interface FieldFrameProps {
  name: string;
  label: string;
  meta: WrappedFieldMetaProps;
  children: ReactNode;
  /** What stands in the error's place when there is none. */
  note?: ReactNode;
}

/** A label, its control and, once the field is touched, its error (R3.5). */
export function FieldFrame({ name, label, meta, children, note }: FieldFrameProps) {
  return (
    <div className="field">
      <label className="field__label" htmlFor={fieldId(name)}>
        {label}
      </label>
      {children}
      <div className="field__notes">
        <p className="field__error" id={errorId(name)} aria-live="polite">
          {visibleError(meta)}
        </p>
        {note}
      </div>
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
export function controlProps(name: string, meta: WrappedFieldMetaProps, required = true) {
  const invalid = visibleError(meta) !== undefined;
  return {
    id: fieldId(name),
    'aria-required': required,
    'aria-invalid': invalid,
    'aria-describedby': invalid ? errorId(name) : undefined,
  };
}
