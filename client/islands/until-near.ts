import { isPressWaitingIn } from './early-presses.ts';

/** Near means within one screen's height. */
const MARGIN = '100% 0px';

const APPROACH_EVENTS = ['pointerover', 'touchstart', 'focusin', 'click'] as const;

/**
 * Resolves when a visitor comes near an island: when its section is a screen away, or when she points at,
 * touches, focuses or clicks the section or a link to it. Resolves at once if she has already pressed
 * something in the island, and never if the page has no such island.
 */
export function untilNear(id: string): Promise<void> {
  if (isPressWaitingIn(id)) return Promise.resolve();
  const section = findIsland(id)?.closest('[id]');
  if (!section) return new Promise(() => {});
  const targets = `#${section.id}, a[href="#${section.id}"]`;
  const approach = new AbortController();
  return new Promise((resolve) => {
    const end = (): void => {
      approach.abort();
      observer.disconnect();
      resolve();
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) end();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(section);
    for (const name of APPROACH_EVENTS) {
      const check = ({ target }: Event): void => {
        if (target instanceof Element && target.closest(targets)) end();
      };
      addEventListener(name, check, { capture: true, passive: true, signal: approach.signal });
    }
  });
}

/** The element whose content is hydrated. */
export function findIsland(id: string): HTMLElement | null {
  return document.querySelector(`[data-island="${id}"]`);
}
