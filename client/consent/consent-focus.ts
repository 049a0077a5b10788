import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/**
 * For the `ref` of the consent bar, which is removed once answered. Focus in the bar then returns to the element
 * that had it before, or else to the section being read. The same happens to focus in the privacy panel that the
 * bar opened, as soon as the panel closes.
 */
export function returnFocus(bar: HTMLElement | null) {
  if (!bar) return;
  const panel = document.getElementById(PRIVACY_PANEL_ID);
  let before: EventTarget | null = null;
  bar.addEventListener('focusin', ({ relatedTarget }) => {
    if (!isWithin(bar, relatedTarget) && !isWithin(panel, relatedTarget)) before = relatedTarget;
  });
  const restoreAfterToggle = (): void => {
    // The browser returns focus to the button that opened the panel, unless that button is gone.
    const { activeElement } = document;
    if (activeElement === document.body || isWithin(panel, activeElement)) restoreFocus(before);
  };
  return () => {
    const { activeElement } = document;
    if (isWithin(bar, activeElement)) restoreFocus(before);
    if (isWithin(panel, activeElement)) panel?.addEventListener('toggle', restoreAfterToggle, { once: true });
  };
}

function isWithin(place: Element | null, target: EventTarget | null): boolean {
  return target instanceof Node && place !== null && place.contains(target);
}

function restoreFocus(before: EventTarget | null): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (document.activeElement !== before) focusVisibleSection();
}

/** The section in the upper half of the screen, which the bar leaves free. */
function focusVisibleSection(): void {
  const element = document.elementFromPoint(innerWidth / 2, innerHeight / 3);
  const place = element?.closest<HTMLElement>('main section[id]') ?? document.getElementById('main');
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}
