import { useSyncExternalStore } from 'react';

/** A request that waits for its turn. */
interface Wait {
  /** When it is sent again, by `Date.now()`; past while it is being sent. */
  untilMs: number;
  /** Sends it now. */
  sendNow: () => void;
}

let current: Wait | undefined;
const listeners = new Set<() => void>();

/** The request that waits now. */
export function useWait(): Wait | undefined {
  return useSyncExternalStore(subscribe, () => current, noWait);
}

/** Waits, and lets the page show it, until the time is over, the visitor would not wait, or nobody wants it any more. */
export async function waitVisibly(seconds: number, signal?: AbortSignal): Promise<void> {
  let wait: Wait | undefined;
  await new Promise<void>((sendNow) => {
    wait = { untilMs: Date.now() + seconds * 1000, sendNow };
    show(wait);
    setTimeout(sendNow, seconds * 1000);
    signal?.addEventListener('abort', () => sendNow(), { once: true });
  });
  if (wait && current === wait) show({ ...wait, untilMs: Date.now() });
}

/** Nothing waits any more. */
export function endWait(): void {
  show(undefined);
}

function show(wait: Wait | undefined): void {
  current = wait;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** The server renders no wait. */
const noWait = (): undefined => undefined;
