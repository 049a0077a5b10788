const TOUCH_EVENTS = ['pointerdown', 'keydown'] as const;

/** Loads something, and retries at each touch of the page until it succeeds; reports each failure (R7.1). */
export async function untilLoaded<Loaded>(
  load: () => Promise<Loaded>,
  onFailure: (failure: unknown) => void,
): Promise<Loaded> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      onFailure(error);
      await nextTouch();
    }
  }
}

/** Resolves when a visitor next touches the page, by hand or by key. */
function nextTouch(): Promise<void> {
  const touched = new AbortController();
  return new Promise((resolve) => {
    const end = (): void => {
      touched.abort();
      resolve();
    };
    for (const touch of TOUCH_EVENTS) addEventListener(touch, end, { capture: true, signal: touched.signal });
  });
}
