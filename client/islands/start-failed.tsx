import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { START_FAILED_ID } from '#shared/page.ts';

/**
 * Told when what a visitor pressed cannot be answered, since the application did not arrive. It is part of the document
 * and works by itself; any touch of the page tries again.
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
