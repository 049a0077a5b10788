const LATEST_MS = 5_000;
const WITHOUT_IDLE_MS = 500;

/** Does something once the page is loaded and has nothing better to do. */
export function whenIdle(action: () => void): void {
  const wait = () => {
    // Safari cannot tell when it is idle.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(action, { timeout: LATEST_MS });
    else setTimeout(action, WITHOUT_IDLE_MS);
  };
  if (document.readyState === 'complete') wait();
  else window.addEventListener('load', wait, { once: true });
}
