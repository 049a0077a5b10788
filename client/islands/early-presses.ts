import { nextTask } from '#client/loading/when-idle.ts';
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
export function isPressWaitingIn(islandId: string): boolean {
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
