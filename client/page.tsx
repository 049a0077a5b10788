import { RegisterSection, Schedule, Testimonials } from '#client/later-sections.tsx';
import {
  Approach,
  Author,
  Benefits,
  Closing,
  Faq,
  Hero,
  Media,
  Partners,
  PhoneBar,
  Sessions,
  SiteFooter,
  Transform,
} from '#client/still-sections.tsx';
import { pageFrame } from '#shared/content/page-frame.ts';
import { SiteHeader } from './sections/site-header.tsx';

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
        {/* The phone bar sticks to the screen's foot for as long as this element lasts: not beside the hero's button. */}
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
        <RegisterSection />
      </main>
      <SiteFooter />
    </>
  );
}
