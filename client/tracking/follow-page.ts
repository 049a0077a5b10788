import { REGISTER_SECTION_ID } from '#shared/page.ts';
import type { Pixel } from './pixel.ts';

/** The links to the stepper, and the stepper's button that chooses the package. */
const CALLS_TO_ACTION = `a[href="#${REGISTER_SECTION_ID}"], .package-card button`;

/** Reports to the pixel which calls to action are pressed, and where, and which FAQ items are opened. */
export function followPage(pixel: Pixel): void {
  // Captured: the element's own click handler may remove it from the page.
  document.addEventListener(
    'click',
    ({ target }) => {
      const call = target instanceof Element && target.closest(CALLS_TO_ACTION);
      if (call) pixel.trackCustom('CallToAction', { place: placeOf(call) });
    },
    true,
  );
  // `toggle` does not bubble, but it can be captured.
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

/** The section, header or phone bar that contains a call to action. */
function placeOf(call: Element): string {
  const place = call.closest('section[id], header, .phone-bar');
  if (!place) return 'page';
  return place.id || (place.matches('header') ? 'header' : 'phone-bar');
}
