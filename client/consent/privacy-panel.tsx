import { SitePageLinks } from '#client/ui/plain-documents.tsx';
import { Entries } from '#client/ui/texts.tsx';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { factsKept, privacyCopy } from '#shared/content/privacy.ts';
import { mailLink } from '#shared/mail-and-phone.ts';
import { CONSENT_CHOICE_ID, PRIVACY_PANEL_ID, type SiteState } from '#shared/page.ts';

const TITLE_ID = 'privacy-title';

/**
 * A dialog over the page that lists what is stored where and why. It needs no script, and only the server
 * renders it; where visits are measured, the tracking script adds the consent choice.
 */
export function PrivacyPanel({ site: { officeEmail, metaPixelId, isFull } }: { site: SiteState }) {
  const isMeasured = metaPixelId !== null;
  const facts = factsKept({
    asksQuestions: edition.questions !== undefined,
    hasWaitingList: isFull === true,
    isMeasured,
  });
  return (
    <dialog id={PRIVACY_PANEL_ID} className="privacy-panel" popover="auto" aria-labelledby={TITLE_ID}>
      <h2
        id={TITLE_ID}
        tabIndex={-1}
        // biome-ignore lint/a11y/noAutofocus: within a dialog; it makes the dialog open scrolled to its top
        autoFocus
      >
        {privacyCopy.title}
      </h2>
      <p>{privacyCopy.intro}</p>
      {isMeasured && (
        <div id={CONSENT_CHOICE_ID} tabIndex={-1}>
          <ConsentPending />
        </div>
      )}
      <dl>
        <Entries of={facts} />
      </dl>
      <p>
        {privacyCopy.questions} <a href={mailLink(officeEmail)}>{officeEmail}</a>
      </p>
      <SitePageLinks isMeasured={isMeasured} />
      <p className="privacy-close">
        <button
          type="button"
          className="button button--quiet"
          popoverTarget={PRIVACY_PANEL_ID}
          popoverTargetAction="hide"
        >
          {privacyCopy.close}
        </button>
      </p>
    </dialog>
  );
}

/** Shown in the privacy panel while the choice loads, or when it failed to load; see `loadConsent`. */
function ConsentPending() {
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
