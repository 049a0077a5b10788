/**
 * Opens and closes the menu and the privacy panel in browsers without popovers: a dialog as a modal one, the menu by
 * `data-open`, for which site-header.css has a rule.
 */
export function replacePopovers(): void {
  if ('popover' in HTMLElement.prototype) return;
  for (const menu of document.querySelectorAll('[popover]:not(dialog)')) show(menu, false);
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const panel = document.getElementById(
      target.closest('[popovertarget]')?.getAttribute('popovertarget') ?? '',
    );
    if (panel instanceof HTMLDialogElement) {
      if (panel.open) panel.close();
      else panel.showModal();
      return;
    }
    const shown = findShown();
    if (shown && (!shown.contains(target) || target.closest('a'))) show(shown, false);
    if (panel && panel !== shown) show(panel, true);
  });
  document.addEventListener('keydown', ({ key }) => {
    const shown = findShown();
    if (shown && key === 'Escape') show(shown, false)?.focus();
  });
}

const findShown = (): Element | null => document.querySelector('[data-open]');

/** Shows or hides a menu. Returns its button. */
function show(menu: Element, shown: boolean): HTMLElement | null {
  menu.toggleAttribute('data-open', shown);
  const button = document.querySelector<HTMLElement>(`[popovertarget="${menu.id}"]`);
  button?.setAttribute('aria-expanded', String(shown));
  return button;
}
