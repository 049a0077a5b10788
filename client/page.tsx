import { pageFrame } from '#shared/content/page-frame.ts';
import { RegisterSection } from './registration/register-section.tsx';
import { Approach } from './sections/approach.tsx';
import { Author } from './sections/author.tsx';
import { Benefits } from './sections/benefits.tsx';
import { Closing } from './sections/closing.tsx';
import { Faq } from './sections/faq.tsx';
import { Hero } from './sections/hero.tsx';
import { Media } from './sections/media.tsx';
import { Partners } from './sections/partners.tsx';
import { Schedule } from './sections/schedule.tsx';
import { Sessions } from './sections/sessions.tsx';
import { SiteFooter } from './sections/site-footer.tsx';
import { SiteHeader } from './sections/site-header.tsx';
import { Testimonials } from './sections/testimonials.tsx';
import { Transform } from './sections/transform.tsx';
import { PhoneBar } from './ui/phone-bar.tsx';

/** The whole page, its sections in the specification's order. */
export function Page() {
  return (
    <>
      <a className="skip-link" href="#main">
        {pageFrame.skipLink}
      </a>
      <SiteHeader />
      <main id="main" tabIndex={-1}>
        {/* The phone bar sticks to the screen's foot for as long as this element lasts. */}
        <div>
          <Hero />
          <Partners />
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
