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
  return window.earlyPresses?.waiting() ?? false;
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
