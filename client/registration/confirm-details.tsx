import { useAppSelector } from '#client/store/hooks.ts';
import { selectRegistration } from '#client/store/stepper-slice.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatCents } from '#shared/money.ts';

const { payment, contact } = registrationCopy;

/** What the visitor told so far, to look over before paying (R2.6, left column). */
export function ConfirmDetails({ amountCents }: { amountCents: number }) {
  const { firstName, lastName, email, phoneNumber, liveStreamingPass } = useAppSelector(selectRegistration);
  const details = [
    [contact.firstName, firstName],
    [contact.lastName, lastName],
    [contact.email, email],
    [contact.phoneNumber, phoneNumber],
  ];
  return (
    <section className="confirm-details" aria-labelledby="confirm-title">
      <h3 id="confirm-title">{payment.confirmTitle}</h3>
      <dl>
        {details.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        {liveStreamingPass}: {formatCents(amountCents)}
      </p>
    </section>
  );
}
