import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/**
 * For the `ref` of the bar. What is focused in the bar, or in the panel that it opens, goes with the answer: then the
 * focus returns to what had it before, or else to what is being read.
 */
export function returnFocus(bar: HTMLElement | null) {
  if (!bar) return;
  const panel = document.getElementById(PRIVACY_PANEL_ID);
  let before: EventTarget | null = null;
  bar.addEventListener('focusin', ({ relatedTarget }) => {
    if (!isWithin(bar, relatedTarget) && !isWithin(panel, relatedTarget)) before = relatedTarget;
  });
  const mend = (): void => {
    // The browser gives it back to the button that opened the panel, unless that is gone.
    const { activeElement } = document;
    if (activeElement === document.body || isWithin(panel, activeElement)) focusAgain(before);
  };
  return () => {
    const { activeElement } = document;
    if (isWithin(bar, activeElement)) focusAgain(before);
    if (isWithin(panel, activeElement)) panel?.addEventListener('toggle', mend, { once: true });
  };
}

function isWithin(place: Element | null, target: EventTarget | null): boolean {
  return target instanceof Node && place !== null && place.contains(target);
}

function focusAgain(before: EventTarget | null): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (document.activeElement !== before) focusWhatIsRead();
}

/** The section in the upper half of the screen, which the bar leaves free. */
function focusWhatIsRead(): void {
  const element = document.elementFromPoint(innerWidth / 2, innerHeight / 3);
  const place = element?.closest<HTMLElement>('main section[id]') ?? document.getElementById('main');
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}
