import type { InputHTMLAttributes } from 'react';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import { actWords } from '#shared/content/own-page-words.ts';

interface FormFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  note?: string;
  /** Her refused submission: the field then holds what she typed. */
  sent?: Sent | undefined;
}

/** The element id of a field, by its name, for links to it. */
export const fieldId = (name: string): string => `field-${name}`;

/** The element id of a field, its error, and what tells a screen reader of them. */
export function aboutField(name: string, note: string, sent: Sent | undefined) {
  const id = fieldId(name);
  const error = sent?.errors[name];
  const ids = [note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(' ');
  return {
    id,
    error,
    described: { 'aria-invalid': error ? true : undefined, 'aria-describedby': ids || undefined },
  };
}

/** What is said below a field. */
export function FieldNotes({ id, note, error }: { id: string; note: string; error: string | undefined }) {
  return (
    <>
      {note && (
        <p className="field__note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {error && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

/** A text input in a form that is submitted without a script. */
export function FormField({ name, label, note = '', sent, defaultValue, ...input }: FormFieldProps) {
  const { id, error, described } = aboutField(name, note, sent);
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <input
        type="text"
        {...input}
        id={id}
        name={name}
        defaultValue={sent?.typed[name] ?? defaultValue}
        className="field__control"
        {...described}
      />
      <FieldNotes id={id} note={note} error={error} />
    </div>
  );
}

/** The field for her proof of identity, by the kind of the proof. */
export function proofInput(kind: OwnPageView['secondFactor']) {
  return {
    name: 'proof',
    label: actWords.proof[kind],
    autoComplete: 'off',
    required: true,
    ...(kind === 'phone' ? ({ inputMode: 'numeric', maxLength: 4 } as const) : { maxLength: 16 }),
  };
}
