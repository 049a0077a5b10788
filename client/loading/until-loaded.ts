const TOUCHES = ['pointerdown', 'keydown'] as const;

/** Loads something, and retries until it is there: a failure is reported, the visitor's next touch retries (R7.1). */
export async function untilLoaded<Loaded>(
  load: () => Promise<Loaded>,
  tell: (failure: unknown) => void,
): Promise<Loaded> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      tell(error);
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
    for (const touch of TOUCHES) addEventListener(touch, end, { capture: true, signal: touched.signal });
  });
}
