import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { isPressWaiting } from './early-presses.ts';
import { onApproach } from './on-approach.ts';
import { whenIdle } from './when-idle.ts';

/** Signs that somebody is about to press something. */
const TOUCHES = ['pointerdown', 'touchstart', 'keydown', 'focusin', 'click'] as const;

/**
 * Calls once, when the page has loaded and the browser has nothing better to do; or before that, as soon as a visitor
 * touches the page, or has pressed something already, or comes near what needs the application.
 */
export function whenWanted(start: () => void): void {
  const signs = new AbortController();
  const once = (): void => {
    if (signs.signal.aborted) return;
    signs.abort();
    start();
  };
  for (const touch of TOUCHES) {
    addEventListener(touch, once, { capture: true, passive: true, signal: signs.signal });
  }
  onApproach(REGISTER_SECTION_ID, once, signs.signal);
  if (isPressWaiting()) once();
  whenIdle(once);
}
