import { LATER_SECTION_IDS } from '#shared/page.ts';
import { hydratedLater } from './islands/hydrated-later.tsx';

const [schedule, testimonials, register] = LATER_SECTION_IDS;

export const Schedule = hydratedLater(schedule, {
  id: schedule,
  load: () => import('./sections/schedule.tsx'),
});
export const Testimonials = hydratedLater(testimonials, {
  id: testimonials,
  load: () => import('./sections/testimonials.tsx'),
});
export const RegisterSection = hydratedLater(register, {
  id: register,
  load: () => import('./registration/register-section.tsx'),
});
