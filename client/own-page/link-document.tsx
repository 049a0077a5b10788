import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { type LinkReason, linkWords, ownPageWords } from '#shared/content/own-page-words.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { LinkFrame } from './link-frame.tsx';
import { PlaceLink } from './parts.tsx';
import { CloseForm } from './press-forms.tsx';

interface LinkDocumentProps {
  /** Why her page is not shown. */
  reason: LinkReason;
  /** With it she can close her page everywhere. */
  closeToken?: string | undefined;
  office: OfficeContact;
  styles: readonly string[];
}

/** Where a new link helps. */
const ASKS: readonly LinkReason[] = [
  ...(['none', 'invalid', 'unconfirmed', 'another', 'closed', 'hand-over-done'] as const),
];

/** Shown instead of a registrant's page if there is no valid link; it reveals nothing about anybody. */
export function LinkDocument({ reason, closeToken, office, styles }: LinkDocumentProps) {
  const { title, text, email, emailNote, submit, help } = linkWords;
  const asks = ASKS.includes(reason);
  return (
    <LinkFrame siteName={facts.siteName} title={title} help={help} office={office} styles={styles}>
      <p className="lede" role={asks ? undefined : 'status'}>
        {text[reason]}
      </p>
      {closeToken !== undefined && <CloseForm token={closeToken} />}
      {asks && (
        <form className="link-form" method="post" action={ownPagePaths.link}>
          <div className="field">
            <label className="field__label" htmlFor="link-email">
              {email}
            </label>
            <input
              id="link-email"
              className="field__control"
              type="email"
              name="email"
              autoComplete="email"
              maxLength={254}
              required
              aria-describedby="link-email-note"
            />
            <p className="field__note" id="link-email-note">
              {emailNote}
            </p>
          </div>
          <button type="submit" className="button">
            {submit}
          </button>
        </form>
      )}
      {reason === 'not-recorded' && <PlaceLink href={OWN_PAGE_PATH}>{ownPageWords.back}</PlaceLink>}
      {reason === 'asked' && <PlaceLink href={OWN_PAGE_PATH}>{linkWords.anotherAddress}</PlaceLink>}
    </LinkFrame>
  );
}
