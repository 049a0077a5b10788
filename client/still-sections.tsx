/*
 * The parts of the page that nothing ever happens in: they have no state, and what is pressed in them works by
 * itself. A browser gets them as HTML only, see still-sections.browser.tsx, which package.json puts in this file's place.
 */
export { Approach } from './sections/approach.tsx';
export { Author } from './sections/author.tsx';
export { Benefits } from './sections/benefits.tsx';
export { Closing } from './sections/closing.tsx';
export { Faq } from './sections/faq.tsx';
export { Hero } from './sections/hero.tsx';
export { Media } from './sections/media.tsx';
export { Partners } from './sections/partners.tsx';
export { Sessions } from './sections/sessions.tsx';
export { SiteFooter } from './sections/site-footer.tsx';
export { Transform } from './sections/transform.tsx';
export { PhoneBar } from './ui/phone-bar.tsx';
