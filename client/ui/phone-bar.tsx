import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { pageFrame } from '#shared/content/page-frame.ts';
import { priceByCard } from '#shared/content/prices.ts';
import { formatDollars } from '#shared/money.ts';
import { ReserveLink } from './reserve-link.tsx';

const { closing } = page;

/**
 * On a phone, the price and the call to action at the bottom of the screen. It is sticky within its parent,
 * so without a script it appears once the hero's button is out of view, and disappears just before the
 * registration. The price is left out while the retreat is full.
 */
export function PhoneBar() {
  const { registrationOpen, isFull } = useAppSelector(selectSite);
  if (!registrationOpen) return null;
  return (
    <div className="phone-bar">
      {!isFull && <Price />}
      <ReserveLink label={pageFrame.reserveShort} />
    </div>
  );
}

function Price() {
  return (
    <p className="phone-bar-price">
      <span className="visually-hidden">{closing.tuitionLabel} </span>
      <strong>{formatDollars(facts.retreatPackage.total)}</strong>
      {' · '}
      <s>
        <span className="visually-hidden">{closing.oldTuitionLabel} </span>
        {formatDollars(facts.retreatPackage.oldPrice)}
      </s>
      <span className="phone-bar-label">{priceByCard(facts)}</span>
    </p>
  );
}
