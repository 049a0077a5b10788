import type { EarlyPresses } from '#shared/early-presses.ts';

declare global {
  interface Window {
    /** Put there by the script in the document's head, see shared/early-presses.ts. */
    earlyPresses?: EarlyPresses;
  }
}

/** Presses again, in their order, what was pressed before somebody could answer. */
export function replayEarlyPresses(): void {
  const presses = window.earlyPresses;
  if (!presses) return;
  delete window.earlyPresses;
  presses.end();
  for (const element of presses.elements) if (element.isConnected) element.click();
}
