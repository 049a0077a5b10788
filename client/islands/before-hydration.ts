import { nextTask, untilEvent } from '#client/loading/when-idle.ts';
import { type EarlyPresses, PRESSABLE } from '#shared/page.ts';

declare global {
  interface Window {
    /** Put there by the script in the document's head, see shared/head/head-script.ts. */
    earlyPresses?: EarlyPresses;
  }
}

/** Whether a visitor pressed something that could not be handled yet. */
export function isPressWaiting(): boolean {
  return 'pressed' in document.documentElement.dataset;
}

/** Whether such a press was made in this island. */
function isPressWaitingIn(islandId: string): boolean {
  return window.earlyPresses?.pressed.some(({ island }) => island === islandId) ?? false;
}

/**
 * Finds the pressed elements of an island again that its hydration has replaced: React renders an island again if a
 * translator or an extension has changed its text. To be called right after hydration, before anything else changes.
 */
export function findPressedAgain(islandId: string, root: HTMLElement): void {
  const elements = root.querySelectorAll<HTMLElement>(PRESSABLE);
  for (const press of window.earlyPresses?.pressed ?? []) {
    if (press.island !== islandId || press.element.isConnected) continue;
    press.element = elements[press.index] ?? press.element;
  }
}

/**
 * Replays, in their order, presses made in an island before it was hydrated. Each runs in a task of its own,
 * so that elements which a press removes are gone before the next one. The island handles later presses
 * itself.
 */
export async function answerEarlyPresses(islandId: string): Promise<void> {
  for (const element of takePresses(islandId)) {
    if (element.isConnected) element.click();
    await nextTask();
  }
}

function takePresses(islandId: string): HTMLElement[] {
  const early = window.earlyPresses;
  if (!early) return [];
  const taken = early.pressed.filter(({ island }) => island === islandId);
  early.pressed = early.pressed.filter(({ island }) => island !== islandId);
  early.ready.push(islandId);
  if (early.pressed.length === 0) delete document.documentElement.dataset.pressed;
  return taken.map(({ element }) => element);
}

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
