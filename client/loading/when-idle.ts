const LATEST_MS = 1_500;
const WITHOUT_IDLE_MS = 200;

/** Runs an action once the page has loaded and the browser is idle. */
export function whenIdle(action: () => void): void {
  const wait = (): void => {
    // Safari has no `requestIdleCallback`.
    if ('requestIdleCallback' in window) requestIdleCallback(action, { timeout: LATEST_MS });
    else setTimeout(action, WITHOUT_IDLE_MS);
  };
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}

/** Resolves in a new task, so that the browser can handle pending events first. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

/** Resolves at the first of some events anywhere on the page, or at the first of those for which `isIt` holds. */
export function untilEvent(
  names: readonly string[],
  isIt: (event: Event) => boolean = () => true,
): Promise<void> {
  const over = new AbortController();
  return new Promise((resolve) => {
    const end = (event: Event): void => {
      if (!isIt(event)) return;
      over.abort();
      resolve();
    };
    for (const name of names)
      addEventListener(name, end, { capture: true, passive: true, signal: over.signal });
  });
}
