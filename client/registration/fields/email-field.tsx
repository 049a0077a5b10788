import type { WrappedFieldProps } from 'redux-form';
import { didYouMean } from '#shared/content/registration.ts';
import { controlProps, FieldFrame, FormField, fieldId } from './field-frame.tsx';
import { suggestEmail } from './suggest-email.ts';

/** The e-mail field, with a suggestion when the address looks mistyped. */
export function EmailField({ name, label }: { name: string; label: string }) {
  return <FormField name={name} component={EmailInput} label={label} />;
}

function EmailInput({ input, meta, label }: WrappedFieldProps & { label: string }) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta} note={<Suggestion input={input} meta={meta} />}>
      <input
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
      />
    </FieldFrame>
  );
}

/** Appears when the field loses focus with a valid address, and disappears when it gets focus again. */
function Suggestion({ input, meta }: WrappedFieldProps) {
  const left = meta.touched && !meta.active && meta.valid;
  const suggestion = left ? suggestEmail(String(input.value)) : undefined;
  const accept = () => {
    input.onChange(suggestion);
    document.getElementById(fieldId(input.name))?.focus();
  };
  return (
    <div className="field__suggestion" aria-live="polite">
      {suggestion !== undefined && (
        <button type="button" onClick={accept}>
          <BreakableEmail text={didYouMean(suggestion)} />
        </button>
      )}
    </div>
  );
}

/** Lets a line end before the @ rather than anywhere. */
function BreakableEmail({ text }: { text: string }) {
  const at = text.lastIndexOf('@');
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  );
}
