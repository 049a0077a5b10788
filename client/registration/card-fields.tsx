import { registrationCopy } from '#shared/content/registration.ts';
import { messages } from '#shared/registration.ts';
import { CardField } from './card-field.tsx';
import { FormError } from './form-error.tsx';
import { useCardStyle } from './use-card-style.ts';

const copy = registrationCopy.payment;

/** Stripe's three fields for the card. */
export function CardFields() {
  const style = useCardStyle();
  return (
    <div className="card-fields">
      <CardField name="cardNumber" label={copy.cardNumber} style={style} />
      <CardField name="cardExpiry" label={copy.cardExpiry} style={style} />
      <CardField name="cardCvc" label={copy.cardCvc} style={style} />
    </div>
  );
}

/** In the card fields' place when Stripe's script could not be had (R4.4). */
export function StripeMissing({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="stripe-missing">
      <FormError error={messages.stripeNotReady} />
      <button type="button" className="button button--quiet" onClick={onRetry}>
        {registrationCopy.retry}
      </button>
    </div>
  );
}
