/** Resolves in a new task, so that the browser can handle pending events first. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
