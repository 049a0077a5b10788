import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { START_FAILED_ID } from '#shared/page.ts';

/**
 * Shown when a press cannot be handled because the application did not load. It is part of the document and
 * needs nothing else; any touch of the page retries loading.
 */
export function StartFailed() {
  return (
    <div id={START_FAILED_ID} className="start-failed" role="alert" hidden>
      <p>{lazyPartCopy.notStarted}</p>
      <div className="part-failed-choices">
        <button type="button" className="button button--quiet">
          {lazyPartCopy.retry}
        </button>
        <button type="button" className="button" data-reload>
          {lazyPartCopy.reload}
        </button>
      </div>
    </div>
  );
}
