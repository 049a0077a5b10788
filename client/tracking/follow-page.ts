import type { Pixel } from './pixel.ts';

/** Tells the pixel which calls to action are followed, from where, and which questions are opened. */
export function followPage(pixel: Pixel): void {
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element && target.closest('a[href="#register-stepper"]');
    if (link) pixel.trackCustom('CallToAction', { place: placeOf(link) });
  });
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

/** The section, or what else of the page, that holds a link. */
function placeOf(link: Element): string {
  const place = link.closest('section[id], header, .phone-bar');
  if (!place) return 'page';
  return place.id || (place.matches('header') ? 'header' : 'phone-bar');
}
