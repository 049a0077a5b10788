import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import type { StripeElementChangeEvent, StripeElementStyle, StripeElements } from '@stripe/stripe-js';
import { useState } from 'react';
import { touch, type WrappedFieldMetaProps, type WrappedFieldProps } from 'redux-form';
import { FieldFrame, fieldId, visibleError } from '#client/registration/fields/field-frame.tsx';
import { FormField } from '#client/registration/fields/form-field.ts';
import { messages } from '#shared/registration.ts';

/** What form state holds for a card field that is filled: never the card's data (R3.4). */
const CARD_MASK = '••••';

const CONTROL_CLASS = 'field__control field__control--card';

/** Stripe's split card fields, by the name they have in the form. */
const cardElements = {
  cardNumber: CardNumberElement,
  cardExpiry: CardExpiryElement,
  cardCvc: CardCvcElement,
} as const;

interface CardFieldProps {
  name: keyof typeof cardElements;
  label: string;
  style: StripeElementStyle;
}

/** Focuses a card field by its name in the form; false when it is none. */
export function focusCardField(elements: StripeElements | null, name: string): boolean {
  switch (name) {
    case 'cardNumber':
      elements?.getElement(CardNumberElement)?.focus();
      return true;
    case 'cardExpiry':
      elements?.getElement(CardExpiryElement)?.focus();
      return true;
    case 'cardCvc':
      elements?.getElement(CardCvcElement)?.focus();
      return true;
    default:
      return false;
  }
}

/** One of Stripe's split card fields under a redux-form name. */
export function CardField({ name, ...props }: CardFieldProps) {
  return <FormField name={name} component={CardInput} element={name} {...props} />;
}

type CardInputProps = WrappedFieldProps &
  Omit<CardFieldProps, 'name'> & { element: keyof typeof cardElements };

/** What Stripe says of what is typed into one of its fields. */
type Typed = Pick<StripeElementChangeEvent, 'empty' | 'error'>;

function CardInput({ input, meta, label, style, element }: CardInputProps) {
  const [typed, setTyped] = useState<Typed>({ empty: true, error: undefined });
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
        options={{ style }}
        onReady={() => input.onChange('')}
        onChange={change}
        onBlur={() => meta.dispatch(touch(meta.form, input.name))}
      />
    </FieldFrame>
  );
}

/**
 * Stripe's own words for what is typed; that a field is required only while it is empty. Stripe has none while a number
 * is being typed, which is no error before the form is submitted.
 */
function errorOf({ empty, error }: Typed, meta: WrappedFieldMetaProps): string | undefined {
  if (error) return error.message;
  if (empty || !meta.error) return meta.error;
  return meta.submitFailed ? messages.cardIncomplete : undefined;
}
