import { nextTouch } from './next-touch.ts';

/** Loads something, however many tries it takes: a failure is told, and the visitor's next touch tries again (R7.1). */
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
