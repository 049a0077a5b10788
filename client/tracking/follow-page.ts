import { REGISTER_SECTION_ID } from '#shared/page.ts';
import type { Pixel } from './pixel.ts';

/** The links to the stepper, and in it the button that chooses the package. */
const CALLS_TO_ACTION = `a[href="#${REGISTER_SECTION_ID}"], .package-card button`;

/** Tells the pixel which calls to action are followed, from where, and which questions are opened. */
export function followPage(pixel: Pixel): void {
  // Captured: the answer to a press may take what was pressed off the page.
  document.addEventListener(
    'click',
    ({ target }) => {
      const call = target instanceof Element && target.closest(CALLS_TO_ACTION);
      if (call) pixel.trackCustom('CallToAction', { place: placeOf(call) });
    },
    true,
  );
  // It does not bubble, but it can be captured.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open || !target.matches('.faq-item')) return;
      const questions = [...document.querySelectorAll('.faq-item')];
      pixel.trackCustom('FaqOpened', { question: questions.indexOf(target) + 1 });
    },
    true,
  );
}

/** The section, or what else of the page, that holds a call to action. */
function placeOf(call: Element): string {
  const place = call.closest('section[id], header, .phone-bar');
  if (!place) return 'page';
  return place.id || (place.matches('header') ? 'header' : 'phone-bar');
}
