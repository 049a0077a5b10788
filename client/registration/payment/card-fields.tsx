import { useStripe } from '@stripe/react-stripe-js';
import { FormError } from '#client/registration/fields/form-error.tsx';
import { registrationCopy } from '#shared/content/registration.ts';
import { messages } from '#shared/registration.ts';
import { CardField } from './card-field.tsx';
import { useCardStyle } from './use-card-style.ts';

const copy = registrationCopy.payment;

const CARD_FIELDS = ['cardNumber', 'cardExpiry', 'cardCvc'] as const;

/** Stripe's three fields for the card; until Stripe brings them, their places. */
export function CardFields() {
  const style = useCardStyle();
  const loaded = useStripe() !== null;
  return (
    <div className="card-fields">
      {CARD_FIELDS.map((name) =>
        loaded ? (
          <CardField key={name} name={name} label={copy[name]} style={style} />
        ) : (
          <CardSkeleton key={name} label={copy[name]} />
        ),
      )}
      <p className="card-note">{copy.cardNote}</p>
    </div>
  );
}

/** No field of the form yet, so that nothing is asked of it. */
function CardSkeleton({ label }: { label: string }) {
  return (
    <div className="field">
      <span className="field__label">{label}</span>
      <div className="field__control field__control--card field__skeleton" aria-hidden="true" />
      <p className="field__error" />
    </div>
  );
}

/** In the card fields' place when Stripe's script could not be had (R4.4). */
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
