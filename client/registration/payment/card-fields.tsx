import { CardCvcElement, CardExpiryElement, CardNumberElement, useStripe } from '@stripe/react-stripe-js';
import type { StripeElementChangeEvent, StripeElementStyle, StripeElements } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import {
  type FieldMeta,
  type FieldProps,
  FormField,
  fieldId,
  useFormActions,
} from '#client/registration/fields/form.tsx';
import { FieldFrame, FormError, visibleError } from '#client/registration/fields/form-field.tsx';
import { subscribeToTheme } from '#client/ui/theme.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { messages } from '#shared/registration.ts';
import { readCardStyle } from './stripe.ts';

const copy = registrationCopy.payment;

export const CARD_FIELDS = ['cardNumber', 'cardExpiry', 'cardCvc'] as const;

/** Stripe's three card fields; placeholders until Stripe's script has loaded. `onReady`: the first one can be used. */
export function CardFields({ onReady }: { onReady: () => void }) {
  const style = useThemed(readCardStyle);
  const loaded = useStripe() !== null;
  return (
    <div className="card-fields">
      {CARD_FIELDS.map((name) =>
        loaded ? (
          <FormField
            key={name}
            name={name}
            label={copy[name]}
            style={style}
            element={name}
            onReady={name === 'cardNumber' ? onReady : undefined}
            component={CardInput}
          />
        ) : (
          <CardSkeleton key={name} label={copy[name]} />
        ),
      )}
      <p className="card-note">{copy.cardNote}</p>
    </div>
  );
}

/** Not registered as a form field, so that it is not validated. */
function CardSkeleton({ label }: { label: string }) {
  return (
    <div className="field">
      <span className="field__label">{label}</span>
      <div className="field__control field__control--card field__skeleton" aria-hidden="true" />
      <p className="field__error" />
    </div>
  );
}

/** Shown in place of the card fields when Stripe's script did not load (R4.4). */
export function StripeMissing({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="stripe-missing">
      <FormError error={{ words: messages.stripeNotReady }} />
      <button type="button" className="button button--quiet" onClick={onRetry}>
        {registrationCopy.retry}
      </button>
    </div>
  );
}

/** The form value of a card field that is complete: never the card's data (R3.4). */
const CARD_MASK = '••••';

const CONTROL_CLASS = 'field__control field__control--card';

const cardElements = {
  cardNumber: CardNumberElement,
  cardExpiry: CardExpiryElement,
  cardCvc: CardCvcElement,
} as const;

export function focusCardField(elements: StripeElements | null, name: string): boolean {
  const Element = Object.entries(cardElements).find(([field]) => field === name)?.[1];
  if (Element) elements?.getElement(Element)?.focus();
  return Element !== undefined;
}

/** Empties the card fields, and leads to the first of them: iOS lets no script focus it, so it is scrolled to as well. */
export function beginAnotherCard(elements: StripeElements | null): void {
  for (const Element of Object.values(cardElements)) elements?.getElement(Element)?.clear();
  document.getElementById(fieldId('cardNumber'))?.scrollIntoView({ block: 'center' });
  focusCardField(elements, 'cardNumber');
}

type CardInputProps = FieldProps & {
  label: string;
  style: StripeElementStyle;
  onReady: (() => void) | undefined;
  element: keyof typeof cardElements;
};

type Typed = Pick<StripeElementChangeEvent, 'empty' | 'error'>;

function CardInput({ input, meta, label, style, onReady, element }: CardInputProps) {
  const [typed, setTyped] = useState<Typed>({ empty: true, error: undefined });
  const { touch } = useFormActions(meta.form);
  const Element = cardElements[element];
  const shownMeta = { ...meta, error: errorOf(typed, meta) };
  const change = ({ complete, empty, error }: StripeElementChangeEvent) => {
    setTyped({ empty, error });
    input.onChange(complete ? CARD_MASK : '');
  };
  return (
    <FieldFrame name={input.name} label={label} meta={shownMeta}>
      <Element
        id={fieldId(input.name)}
        className={
          visibleError(shownMeta) === undefined ? CONTROL_CLASS : `${CONTROL_CLASS} field__control--invalid`
        }
        // Link has a button of its own, see `wallets.tsx`.
        options={{ style, disableLink: true, ...(element === 'cardNumber' && { showIcon: true }) }}
        onReady={() => {
          input.onChange('');
          onReady?.();
        }}
        onChange={change}
        onBlur={() => touch(input.name)}
      />
    </FieldFrame>
  );
}

/**
 * Stripe's own error, if it has one; "required" only while the field is empty. A partly typed number has no
 * error from Stripe, and counts as incomplete only once a submit has failed.
 */
function errorOf({ empty, error }: Typed, meta: FieldMeta): string | undefined {
  if (error) return error.message;
  if (empty || !meta.error) return meta.error;
  return meta.submitFailed ? messages.cardIncomplete : undefined;
}

export function useThemed<Value>(read: () => Value): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const update = () => setValue(read);
    scheme.addEventListener('change', update);
    const unsubscribe = subscribeToTheme(update);
    return () => {
      scheme.removeEventListener('change', update);
      unsubscribe();
    };
  }, [read]);
  return value;
}
