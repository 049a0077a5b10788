import { REGISTER_SECTION_ID } from '#shared/page.ts';

/** Says so in the console when a call to action is pressed on a page without its register section (R1.14). */
export function reportMissingSection(): void {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest(`a[href="#${REGISTER_SECTION_ID}"]`)) return;
    // biome-ignore lint/suspicious/noConsole: the specified reaction
    if (!document.getElementById(REGISTER_SECTION_ID)) console.error('Register section not found');
  });
}
