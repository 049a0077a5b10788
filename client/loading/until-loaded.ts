import { nextTouch } from './next-touch.ts';

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
