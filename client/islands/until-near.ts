import { untilEvent } from '#client/loading/when-idle.ts';
import { isPressWaitingIn } from './early-presses.ts';

/** Near means within one screen's height. */
const MARGIN = '100% 0px';

const APPROACH_EVENTS = ['pointerover', 'touchstart', 'focusin', 'click'];

/**
 * Resolves when a visitor comes near an island: when its section is a screen away, or when she points at,
 * touches, focuses or clicks the section or a link to it. Resolves at once if she has already pressed
 * something in the island, and never if the page has no such island.
 */
export async function untilNear(id: string): Promise<void> {
  if (isPressWaitingIn(id)) return;
  const section = findIsland(id)?.closest('[id]');
  if (!section) return new Promise(() => {});
  const targets = `#${section.id}, a[href="#${section.id}"]`;
  const isAtIt = ({ target }: Event) => target instanceof Element && target.closest(targets) !== null;
  let observer: IntersectionObserver | undefined;
  const seen = new Promise<void>((resolve) => {
    const check = (entries: IntersectionObserverEntry[]) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) resolve();
    };
    observer = new IntersectionObserver(check, { rootMargin: MARGIN });
    observer.observe(section);
  });
  await Promise.race([seen, untilEvent(APPROACH_EVENTS, isAtIt)]);
  observer?.disconnect();
}

/** The element whose content is hydrated. */
export function findIsland(id: string): HTMLElement | null {
  return document.querySelector(`[data-island="${id}"]`);
}
