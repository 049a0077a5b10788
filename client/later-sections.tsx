/*
 * The sections that something happens in, far down the page. A browser takes each over when a visitor comes near, see
 * later-sections.browser.tsx, which package.json puts in this file's place.
 */
import { type ComponentType, Suspense } from 'react';
import RegisterSectionNow from './registration/register-section.tsx';
import ScheduleNow from './sections/schedule.tsx';
import TestimonialsNow from './sections/testimonials.tsx';

function boundaryOf(Section: ComponentType): ComponentType {
  return () => (
    <Suspense>
      <Section />
    </Suspense>
  );
}

export const Schedule = boundaryOf(ScheduleNow);
export const Testimonials = boundaryOf(TestimonialsNow);
export const RegisterSection = boundaryOf(RegisterSectionNow);
