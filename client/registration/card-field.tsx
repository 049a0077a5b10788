import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import type { StripeElementChangeEvent, StripeElementStyle, StripeElements } from '@stripe/stripe-js';
import { touch, type WrappedFieldProps } from 'redux-form';
import { FieldFrame, fieldId, visibleError } from './field-frame.tsx';
import { FormField } from './form-field.ts';

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

function CardInput(props: CardInputProps) {
  const { input, meta, label } = props;
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <CardElement {...props} />
    </FieldFrame>
  );
}

function CardElement({ input, meta, style, element }: Omit<CardInputProps, 'label'>) {
  const Element = cardElements[element];
  return (
    <Element
      id={fieldId(input.name)}
      className={
        visibleError(meta) === undefined ? CONTROL_CLASS : `${CONTROL_CLASS} field__control--invalid`
      }
      options={{ style }}
      onReady={() => input.onChange('')}
      onChange={({ complete }: StripeElementChangeEvent) => input.onChange(complete ? CARD_MASK : '')}
      onBlur={() => meta.dispatch(touch(meta.form, input.name))}
    />
  );
}
