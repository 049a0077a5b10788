import { isPressWaitingIn } from './early-presses.ts';

/** How near is near: a screen's height. */
const MARGIN = '100% 0px';

const SIGNS = ['pointerover', 'touchstart', 'focusin', 'click'] as const;

/**
 * Calls when a visitor nears an element: when it is a screen away, or when she points at, touches or focuses it or a
 * link to it. At once if she pressed something in it already. Until the signal ends it.
 */
export function onApproach(id: string, call: () => void, signal: AbortSignal): void {
  const element = document.getElementById(id);
  if (!element) return;
  if (isPressWaitingIn(id)) {
    call();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) call();
    },
    { rootMargin: MARGIN },
  );
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
  const ways = `#${id}, a[href="#${id}"]`;
  for (const sign of SIGNS) {
    const check = ({ target }: Event): void => {
      if (target instanceof Element && target.closest(ways)) call();
    };
    addEventListener(sign, check, { capture: true, passive: true, signal });
  }
}
