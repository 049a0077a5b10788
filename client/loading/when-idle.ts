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
