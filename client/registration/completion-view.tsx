import { useAppSelector } from '#client/store/hooks.ts';
import { selectRegistration } from '#client/store/stepper-slice.ts';
import { chargedDownPayment, registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';
import { useStartOver } from './use-start-over.ts';

/** What a visitor sees who has paid (R2.7). */
export function CompletionView() {
  const { forgetAll } = useStartOver();
  const { cardPaymentIntent, confirmationMail = 'queued', email } = useAppSelector(selectRegistration);
  return (
    <div className="completion" role="status">
      <h3>{registrationCopy.completion}</h3>
      {cardPaymentIntent && <p>{chargedDownPayment(formatCents(cardPaymentIntent.amount))}</p>}
      {email && <p>{registrationCopy.completionMail[confirmationMail](email)}</p>}
      <button type="button" className="button button--quiet" onClick={forgetAll}>
        {registrationCopy.registerAnother}
      </button>
    </div>
  );
}
