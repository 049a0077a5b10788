import { facts } from '#shared/content/compiled/on-sale.ts';
import { pageFrame } from '#shared/content/page-frame.ts';
import { balanceInShort } from '#shared/content/prices.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatDollars } from '#shared/money.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { Island } from './islands/island.tsx';
import { Registration } from './registration/registration.tsx';
import { Closing, Faq, Media } from './sections/closing.tsx';
import { Hero, Partners } from './sections/hero.tsx';
import { Author, Testimonials } from './sections/people.tsx';
import { Approach, Benefits, Schedule, Sessions, Transform } from './sections/retreat.tsx';
import { SiteFooter, SiteHeader } from './sections/site-frame.tsx';
import { selectSite, useAppSelector } from './store/store.ts';
import { ReserveLink } from './ui/links.tsx';

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
        {/* The bars are sticky within this element, so neither is shown beside the hero's button. */}
        <div>
          <TopBar />
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

function TopBar() {
  const { registrationOpen, isFull } = useAppSelector(selectSite);
  if (!registrationOpen) return null;
  return (
    <div className="top-bar">
      <p className="top-bar-retreat">
        <strong>{facts.title}</strong>
        <time dateTime={facts.startDate}>{formatDateRange(facts.startDate, facts.endDate)}</time>
      </p>
      {!isFull && <DueToday />}
      <ReserveLink />
    </div>
  );
}

/**
 * On a phone, what is due and the call to action at the bottom of the screen. It is sticky within its parent,
 * so without a script it appears once the hero's button is out of view, and disappears just before the
 * registration. The sums are left out while the retreat is full.
 */
function PhoneBar() {
  const { registrationOpen, isFull } = useAppSelector(selectSite);
  if (!registrationOpen) return null;
  return (
    <div className="phone-bar">
      {!isFull && <DueToday />}
      <ReserveLink label={pageFrame.reserveShort} />
    </div>
  );
}

function DueToday() {
  const { balanceTiming } = useAppSelector(selectSite);
  return (
    <p className="due-today">
      <span>
        <strong>{formatDollars(facts.retreatPackage.deposit)}</strong> {pageFrame.dueToday}
      </span>{' '}
      <span className="due-later">{balanceInShort(facts, balanceTiming)}</span>
    </p>
  );
}
