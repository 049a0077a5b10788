import type { EarlyPresses } from '#shared/early-presses.ts';
import { nextTask } from './next-task.ts';

declare global {
  interface Window {
    /** Put there by the script in the document's head, see shared/early-presses.ts. */
    earlyPresses?: EarlyPresses;
  }
}

/** Whether a visitor pressed something that nobody could answer yet. */
export function isPressWaiting(): boolean {
  return 'pressed' in document.documentElement.dataset;
}

/** Whether it was in this part of the page. */
export function isPressWaitingIn(partId: string): boolean {
  return window.earlyPresses?.pressed.some(({ part }) => part === partId) ?? false;
}

/**
 * Presses again, in their order, what was pressed in a part of the page before somebody could answer. One in a task, so
 * that what a press takes away is gone before the next. Later presses there are left alone.
 */
export async function answerEarlyPresses(partId: string): Promise<void> {
  for (const element of takePresses(partId)) {
    if (element.isConnected) element.click();
    await nextTask();
  }
}

function takePresses(partId: string): HTMLElement[] {
  const early = window.earlyPresses;
  if (!early) return [];
  const taken = early.pressed.filter(({ part }) => part === partId);
  early.pressed = early.pressed.filter(({ part }) => part !== partId);
  early.ready.push(partId);
  if (early.pressed.length === 0) delete document.documentElement.dataset.pressed;
  return taken.map(({ element }) => element);
}
