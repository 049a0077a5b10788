import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import type { StripeElementChangeEvent, StripeElementStyle } from '@stripe/stripe-js';
import { touch, type WrappedFieldProps } from 'redux-form';
import { FieldFrame, fieldId, visibleError } from './field-frame.tsx';
import { FormField } from './form-field.ts';

/** What form state holds for a card field that is filled: never the card's data (R3.4). */
export const CARD_MASK = '••••';

const CONTROL_CLASS = 'field__control field__control--card';

const elements = { cardNumber: CardNumberElement, cardExpiry: CardExpiryElement, cardCvc: CardCvcElement };

/** Something of Stripe's that can be focused. */
interface Focusable {
  focus(): void;
}

interface CardFieldProps {
  name: keyof typeof elements;
  label: string;
  style: StripeElementStyle;
  /** Told when the element can be focused. */
  onReady: (name: string, element: Focusable) => void;
}

/** One of Stripe's split card fields under a redux-form name. */
export function CardField({ name, ...props }: CardFieldProps) {
  return <FormField name={name} component={CardInput} element={name} {...props} />;
}

type CardInputProps = WrappedFieldProps & Omit<CardFieldProps, 'name'> & { element: keyof typeof elements };

function CardInput({ input, meta, label, style, onReady, element }: CardInputProps) {
  const Element = elements[element];
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <Element
        id={fieldId(input.name)}
        className={
          visibleError(meta) === undefined ? CONTROL_CLASS : `${CONTROL_CLASS} field__control--invalid`
        }
        options={{ style }}
        onReady={(ready: Focusable) => {
          input.onChange('');
          onReady(input.name, ready);
        }}
        onChange={({ complete }: StripeElementChangeEvent) => input.onChange(complete ? CARD_MASK : '')}
        onBlur={() => meta.dispatch(touch(meta.form, input.name))}
      />
    </FieldFrame>
  );
}
