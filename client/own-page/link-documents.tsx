import { facts } from '#shared/content/compiled/on-sale.ts';
import { type LinkReason, linkWords, ownPageWords } from '#shared/content/own-page-words.ts';
import {
  type WaitingPage,
  type WaitingPress,
  type WaitingReason,
  waitingHelp,
  waitingPages,
  waitingPresses,
} from '#shared/content/plain-pages.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { messages } from '#shared/registration.ts';
import { FormField } from './form-document.tsx';
import { CloseForm, LinkFrame, type PageProps, PlaceLink, PostForm } from './parts.tsx';

interface LinkDocumentProps extends PageProps {
  /** Why her page is not shown. */
  reason: LinkReason;
  closeToken?: string | undefined;
}

const ASKS = new Set<LinkReason>([
  'none',
  'invalid',
  'unconfirmed',
  'another',
  'closed',
  'returned',
  'hand-over-done',
]);

/** Shown instead of a registrant's page if there is no valid link; it reveals nothing about anybody. */
export function LinkDocument({ reason, closeToken, ...page }: LinkDocumentProps) {
  const { title, text, email, emailNote, submit, help } = linkWords;
  const asks = ASKS.has(reason);
  return (
    <LinkFrame {...page} siteName={facts.siteName} title={title} help={help}>
      <p className="lede" role={asks ? undefined : 'status'}>
        {text[reason]}
      </p>
      {closeToken !== undefined && <CloseForm token={closeToken} />}
      {asks && (
        <PostForm className="link-form" action={ownPagePaths.link} submit={submit}>
          <FormField
            name="email"
            label={email}
            note={emailNote}
            // The browser's check of an `email` would refuse an address that was copied with invisible marks.
            inputMode="email"
            pattern="[^@＠]+[@＠][^@＠]+"
            title={messages.emailInvalid}
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
            required
          />
        </PostForm>
      )}
      {reason === 'not-recorded' && <PlaceLink href={OWN_PAGE_PATH}>{ownPageWords.back}</PlaceLink>}
      {reason === 'asked' && <PlaceLink href={OWN_PAGE_PATH}>{linkWords.anotherAddress}</PlaceLink>}
    </LinkFrame>
  );
}

interface WaitingDocumentProps extends PageProps {
  reason: WaitingReason;
  /** What the page's button does, and where its form posts to; absent on pages without one. */
  press?: { act: WaitingPress; postTo: string };
}

export function WaitingDocument({ reason, press, ...page }: WaitingDocumentProps) {
  const { title, text, back }: WaitingPage = waitingPages[reason];
  return (
    <LinkFrame {...page} siteName={facts.siteName} title={title} help={waitingHelp}>
      <p className="lede" role={press ? undefined : 'status'}>
        {text}
      </p>
      {press && <PostForm action={press.postTo} submit={waitingPresses[press.act]} />}
      {back && <PlaceLink href={`/#${REGISTER_SECTION_ID}`}>{back}</PlaceLink>}
    </LinkFrame>
  );
}
