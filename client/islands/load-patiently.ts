import { type Chunk, loadChunk } from '#client/loading/load-chunk.ts';
import { untilLoaded } from '#client/loading/until-loaded.ts';
import { START_FAILED_ID } from '#shared/page.ts';
import { isPressWaiting } from './early-presses.ts';

/** Loads what the page is taken over with. A visitor is told of a failure if a press of hers waits for it. */
export function loadPatiently<Module>(chunk: Chunk<Module>): Promise<Module> {
  return untilLoaded(
    () => {
      tellFailure(false);
      return loadChunk(chunk);
    },
    (error) => {
      reportError(error);
      tellFailure(isPressWaiting());
    },
  );
}

function tellFailure(failed: boolean): void {
  const notice = document.getElementById(START_FAILED_ID);
  if (!notice) return;
  notice.hidden = !failed;
  const reload = notice.querySelector<HTMLElement>('[data-reload]');
  if (reload) reload.onclick = () => location.reload();
}
