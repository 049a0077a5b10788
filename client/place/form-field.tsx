import type { InputHTMLAttributes } from 'react';
import type { PlaceView } from '#shared/content/place-view.ts';
import { actWords } from '#shared/content/place-words.ts';

interface FormFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  note?: string;
  /** What is wrong with what she sent. */
  error?: string | undefined;
}

/** Of a field by its name, to lead there. */
export const fieldId = (name: string): string => `field-${name}`;

/** A line of text of a form that is sent without a script. */
export function FormField({ name, label, note, error, ...input }: FormFieldProps) {
  const id = fieldId(name);
  const described = [note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(' ');
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
        className="field__control"
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
      />
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
    </div>
  );
}

interface ProofFieldProps {
  kind: PlaceView['secondFactor'];
  note: string;
  /** What she typed before. */
  typed?: string | undefined;
  error?: string | undefined;
}

/** What she proves by that it is she. */
export function ProofField({ kind, note, typed, error }: ProofFieldProps) {
  return (
    <FormField
      name="proof"
      label={actWords.proof[kind]}
      note={note}
      error={error}
      defaultValue={typed}
      inputMode={kind === 'phone' ? 'numeric' : undefined}
      maxLength={kind === 'phone' ? 4 : 16}
      autoComplete="off"
      required
    />
  );
}
