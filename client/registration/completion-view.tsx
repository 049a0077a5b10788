import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { reset, selectRegistration } from '#client/store/stepper-slice.ts';
import { chargedDownPayment, registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';

/** What a visitor sees who has paid (R2.7). */
export function CompletionView() {
  const dispatch = useAppDispatch();
  const { cardPaymentIntent } = useAppSelector(selectRegistration);
  return (
    <div className="completion" role="status">
      <h3>{registrationCopy.completion}</h3>
      {cardPaymentIntent && <p>{chargedDownPayment(formatCents(cardPaymentIntent.amount))}</p>}
      <button type="button" className="button button--quiet" onClick={() => dispatch(reset())}>
        {registrationCopy.registerAnother}
      </button>
    </div>
  );
}
