const TOUCHES = ['pointerdown', 'keydown'] as const;

/** Resolves when a visitor next touches the page, by hand or by key. */
export function nextTouch(): Promise<void> {
  const touched = new AbortController();
  return new Promise((resolve) => {
    const end = (): void => {
      touched.abort();
      resolve();
    };
    for (const touch of TOUCHES) addEventListener(touch, end, { capture: true, signal: touched.signal });
  });
}
