import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import {
  type WaitingPress,
  type WaitingReason,
  waitingPages,
  waitingPresses,
  waitingPageWords as words,
} from '#shared/content/waiting-words.ts';
import { type OfficeContact, REGISTER_SECTION_ID } from '#shared/page.ts';
import { LinkFrame } from './link-frame.tsx';
import { PlaceLink } from './parts.tsx';

interface WaitingDocumentProps {
  reason: WaitingReason;
  /** What the page's button does, and where its form posts to; absent on pages without one. */
  press?: { act: WaitingPress; postTo: string };
  office: OfficeContact;
  styles: readonly string[];
}

/** The pages that letters to people without a place link to; they show no personal data. */
export function WaitingDocument({ reason, press, office, styles }: WaitingDocumentProps) {
  const { title, text, back } = waitingPages[reason];
  return (
    <LinkFrame siteName={facts.siteName} title={title} help={words.help} office={office} styles={styles}>
      <p className="lede" role={press ? undefined : 'status'}>
        {text}
      </p>
      {press && (
        <form method="post" action={press.postTo}>
          <button type="submit" className="button">
            {waitingPresses[press.act]}
          </button>
        </form>
      )}
      {back && <PlaceLink href={`/#${REGISTER_SECTION_ID}`}>{back}</PlaceLink>}
    </LinkFrame>
  );
}
