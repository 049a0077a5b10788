import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { back, selectRegistration } from '#client/store/stepper-slice.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';

const { payment, contact } = registrationCopy;

interface ConfirmDetailsProps {
  /** What the payment charges, in US cents. */
  amountCents: number;
  submitting: boolean;
}

/** The details entered so far, to check and change before paying (R2.6, left column). */
export function ConfirmDetails({ amountCents, submitting }: ConfirmDetailsProps) {
  const dispatch = useAppDispatch();
  const { firstName, lastName, email, phoneNumber, liveStreamingPass } = useAppSelector(selectRegistration);
  const details = [
    [contact.firstName, firstName],
    [contact.lastName, lastName],
    [contact.email, email],
    [contact.phoneNumber, phoneNumber],
  ];
  return (
    <section className="confirm-details" aria-labelledby="confirm-title">
      <div className="confirm-details__head">
        <h3 id="confirm-title">{payment.confirmTitle}</h3>
        <button
          type="button"
          className="text-button confirm-details__change"
          disabled={submitting}
          onClick={() => dispatch(back())}
        >
          {payment.change} <span className="visually-hidden">{payment.changeWhat}</span>
        </button>
      </div>
      <dl>
        {details.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>{`${liveStreamingPass}: ${formatCents(amountCents)}`}</p>
    </section>
  );
}
