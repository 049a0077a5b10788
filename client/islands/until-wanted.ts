import { whenIdle } from '#client/loading/when-idle.ts';
import { isPressWaiting } from './early-presses.ts';

/** Signs that somebody is about to press something. */
const TOUCHES = ['pointerdown', 'touchstart', 'keydown', 'focusin', 'click'] as const;

/**
 * Resolves when the page has loaded and the browser is idle; or before that, as soon as a visitor touches the page or
 * has pressed something already.
 */
export function untilWanted(): Promise<void> {
  if (isPressWaiting()) return Promise.resolve();
  const touched = new AbortController();
  return new Promise((resolve) => {
    const end = (): void => {
      touched.abort();
      resolve();
    };
    for (const touch of TOUCHES) {
      addEventListener(touch, end, { capture: true, passive: true, signal: touched.signal });
    }
    whenIdle(end);
  });
}
