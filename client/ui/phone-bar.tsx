import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { closing } from '#shared/content/closing.ts';
import { pageFrame } from '#shared/content/page-frame.ts';
import { priceByCard } from '#shared/content/policies.ts';
import { ReserveLink } from './reserve-link.tsx';

/**
 * On a phone, the price and the call to action at the foot of the screen. It sticks within its parent, so it comes with
 * the parent, once the hero's button is out of view, and goes with it, just before the registration: no script watches
 * for that.
 */
export function PhoneBar() {
  const { registrationOpen } = useAppSelector(selectSite);
  if (!registrationOpen) return null;
  return (
    <div className="phone-bar">
      <p className="phone-bar-price">
        <span className="visually-hidden">{closing.tuitionLabel} </span>
        <strong>{closing.tuition}</strong>
        {' · '}
        <s>
          <span className="visually-hidden">{closing.oldTuitionLabel} </span>
          {closing.oldTuition}
        </s>
        <span className="phone-bar-label">{priceByCard}</span>
      </p>
      <ReserveLink label={pageFrame.reserveShort} />
    </div>
  );
}
