import { PlainDocument } from '#client/ui/plain-document.tsx';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import {
  type WaitingReason,
  waitingPages,
  waitingPageWords as words,
} from '#shared/content/waiting-words.ts';
import { type OfficeContact, REGISTER_SECTION_ID } from '#shared/page.ts';
import { OfficeWays } from './office-section.tsx';

interface WaitingDocumentProps {
  reason: WaitingReason;
  /** What the page that asks posts to. */
  action?: string;
  office: OfficeContact;
  styles: readonly string[];
}

/** Where the links of the waiting list's letters lead: it names nobody. */
export function WaitingDocument({ reason, action, office, styles }: WaitingDocumentProps) {
  const { title, text, back } = waitingPages[reason];
  return (
    <PlainDocument title={`${title} – ${facts.siteName}`} styles={styles} className="place place--link">
      <p className="eyebrow">
        <a href="/">{facts.siteName}</a>
      </p>
      <h1>{title}</h1>
      <p className="lede" role={action ? undefined : 'status'}>
        {text}
      </p>
      {action && (
        <form method="post" action={action}>
          <button type="submit" className="button">
            {words.leave}
          </button>
        </form>
      )}
      {back && (
        <p>
          <a className="place-link" href={`/#${REGISTER_SECTION_ID}`}>
            {back}
          </a>
        </p>
      )}
      <div>
        <p>{words.help}</p>
        <OfficeWays office={office} />
      </div>
    </PlainDocument>
  );
}
