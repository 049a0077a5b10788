import { back, merge, selectRegistration } from '#client/store/stepper-slice.ts';
import { useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { Entries } from '#client/ui/texts.tsx';
import { ZoneSelect } from '#client/ui/zone-select.tsx';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { timeZoneWords } from '#shared/content/time-zones.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS } from '#shared/registration.ts';
import { isKnownTimeZone } from '#shared/zoned-time.ts';

const { payment, contact } = registrationCopy;

interface ConfirmDetailsProps {
  /** What the payment charges, in US cents. */
  amountCents: number;
  submitting: boolean;
}

/** The details entered so far, to check and change before paying (R2.6, left column). */
export function ConfirmDetails({ amountCents, submitting }: ConfirmDetailsProps) {
  const dispatch = useAppDispatch();
  const { liveStreamingPass, offeredTo, ...entered } = useAppSelector(selectRegistration);
  const details = CONTACT_FIELDS.map((field) => ({ title: contact[field], text: entered[field] }));
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
      {offeredTo !== undefined && <p>{payment.offeredTo(offeredTo)}</p>}
      <dl>
        <Entries of={details} />
      </dl>
      <p>{`${liveStreamingPass}: ${formatCents(amountCents)}`}</p>
      <ZoneField submitting={submitting} />
    </section>
  );
}

/** The zone in which she will read the hours: that of her browser, until she chooses another. */
function ZoneField({ submitting }: Pick<ConfirmDetailsProps, 'submitting'>) {
  const dispatch = useAppDispatch();
  const { timeZone: chosen } = useAppSelector(selectRegistration);
  const { timeZone: own } = Intl.DateTimeFormat().resolvedOptions();
  const { id: retreatZone } = timetable.timeZone;
  return (
    <div className="field">
      <ZoneSelect
        id="register-timeZone"
        zones={[own, retreatZone]}
        value={chosen ?? (isKnownTimeZone(own) ? own : retreatZone)}
        disabled={submitting}
        aria-describedby="register-timeZone-note"
        onChange={({ target }) => dispatch(merge({ timeZone: target.value }))}
      />
      <p id="register-timeZone-note" className="card-note">
        {timeZoneWords.note}
      </p>
    </div>
  );
}
