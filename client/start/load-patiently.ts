import { type Chunk, loadChunk } from '#client/chunks/load-chunk.ts';
import { START_FAILED_ID } from '#shared/page.ts';
import { isPressWaiting } from './early-presses.ts';
import { nextTouch } from './next-touch.ts';

/**
 * Loads what the page is taken over with, however many tries it takes: after each failure it waits for the visitor's
 * next touch. She is told if a press of hers waits for it (R7.1).
 */
export async function loadPatiently<Module>(chunk: Chunk<Module>): Promise<Module> {
  for (;;) {
    try {
      return await loadChunk(chunk);
    } catch (error) {
      reportError(error);
      tellFailure(isPressWaiting());
      await nextTouch();
    } finally {
      tellFailure(false);
    }
  }
}

function tellFailure(failed: boolean): void {
  const notice = document.getElementById(START_FAILED_ID);
  if (!notice) return;
  notice.hidden = !failed;
  const reload = notice.querySelector<HTMLElement>('[data-reload]');
  if (reload) reload.onclick = () => location.reload();
}
