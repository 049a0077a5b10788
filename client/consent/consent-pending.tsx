import { lazyPartCopy } from '#shared/content/lazy-part.ts';

/** Shown in the privacy panel while the choice loads, or when it failed to load; see `loadConsent`. */
export function ConsentPending() {
  return (
    <>
      <p role="status" className="consent-choice">
        {lazyPartCopy.loading}
      </p>
      <div role="alert" className="consent-choice" hidden>
        <p>{lazyPartCopy.notStarted}</p>
        <div className="part-failed-choices">
          <button type="button" className="button button--quiet">
            {lazyPartCopy.retry}
          </button>
          <a className="button" href="/">
            {lazyPartCopy.reload}
          </a>
        </div>
      </div>
    </>
  );
}
