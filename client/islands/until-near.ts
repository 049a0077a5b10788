import { isPressWaitingIn } from './early-presses.ts';

/** How near is near: a screen's height. */
const MARGIN = '100% 0px';

const SIGNS = ['pointerover', 'touchstart', 'focusin', 'click'] as const;

/**
 * Resolves when a visitor comes near an island: when its section is a screen away, or when she points at, touches or
 * focuses the section or a link to it. At once if she pressed something in the island already. Never where the page has
 * no such island.
 */
export function untilNear(id: string): Promise<void> {
  if (isPressWaitingIn(id)) return Promise.resolve();
  const section = findIsland(id)?.closest('[id]');
  if (!section) return new Promise(() => {});
  const ways = `#${section.id}, a[href="#${section.id}"]`;
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
    for (const sign of SIGNS) {
      const check = ({ target }: Event): void => {
        if (target instanceof Element && target.closest(ways)) end();
      };
      addEventListener(sign, check, { capture: true, passive: true, signal: approach.signal });
    }
  });
}

/** The element whose content is hydrated. */
export function findIsland(id: string): HTMLElement | null {
  return document.querySelector(`[data-island="${id}"]`);
}
