import { lazyPartCopy } from '#shared/content/lazy-part.ts';

/** Stands in the privacy panel until the choice is there: it is on its way, or did not come, see `loadConsent`. */
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
