import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { pageFrame } from '#shared/content/page-frame.ts';
import { priceByCard } from '#shared/content/prices.ts';
import { formatDollars } from '#shared/money.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { Island } from './islands/islands.tsx';
import { Registration } from './registration/registration.tsx';
import { Closing, Faq } from './sections/closing.tsx';
import { Hero, Media, Partners } from './sections/hero.tsx';
import { Author, Testimonials } from './sections/people.tsx';
import { Approach, Benefits, Schedule, Sessions, Transform } from './sections/retreat.tsx';
import { SiteFooter, SiteHeader } from './sections/site-frame.tsx';
import { selectSite, useAppSelector } from './store/store.ts';
import { ReserveLink } from './ui/links.tsx';

/** The whole page, its sections in the specification's order. */
export function Page() {
  return (
    <>
      <a className="skip-link" href="#main">
        {pageFrame.skipLink}
      </a>
      <SiteHeader />
      <main id="main" tabIndex={-1}>
        <Hero />
        <Partners />
        {/* The phone bar is sticky within this element, so it is not shown beside the hero's button. */}
        <div>
          <Transform />
          <Benefits />
          <Sessions />
          <Schedule />
          <Testimonials />
          <Author />
          <Approach />
          <Faq />
          <Media />
          <Closing />
          <PhoneBar />
        </div>
        <Register />
      </main>
      <SiteFooter />
    </>
  );
}

/** The last section, which every call to action leads to. */
function Register() {
  return (
    <Island
      island={REGISTER_SECTION_ID}
      as="section"
      id={REGISTER_SECTION_ID}
      className="register"
      aria-labelledby="register-title"
    >
      <Registration />
    </Island>
  );
}

const { closing } = page;

/**
 * On a phone, the price and the call to action at the bottom of the screen. It is sticky within its parent,
 * so without a script it appears once the hero's button is out of view, and disappears just before the
 * registration. The price is left out while the retreat is full.
 */
function PhoneBar() {
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
