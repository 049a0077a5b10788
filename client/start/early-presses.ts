import type { EarlyPresses } from '#shared/early-presses.ts';
import { nextTask } from './next-task.ts';

declare global {
  interface Window {
    /** Put there by the script in the document's head, see shared/early-presses.ts. */
    earlyPresses?: EarlyPresses;
  }
}

/** Whether a visitor pressed something, on the page or in a part of it, that nobody could answer yet. */
export function isPressWaiting(partId?: string): boolean {
  return window.earlyPresses?.waiting(partId) ?? false;
}

/**
 * Presses again, in their order, what was pressed in a part of the page before somebody could answer. One in a task, so
 * that what a press takes away is gone before the next.
 */
export async function answerEarlyPresses(partId: string): Promise<void> {
  for (const element of window.earlyPresses?.take(partId) ?? []) {
    if (element.isConnected) element.click();
    await nextTask();
  }
}
