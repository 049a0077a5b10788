import { PlainDocument } from '#client/ui/plain-document.tsx';
import type { Facts } from '#shared/content/edition.ts';
import { confirmWords as words } from '#shared/content/place-details.ts';
import type { OfficeContact } from '#shared/page.ts';
import { placePaths } from '#shared/place.ts';
import { formPaths } from '#shared/place-forms.ts';
import { OfficeWays } from './office-section.tsx';

interface ConfirmDocumentProps {
  facts: Pick<Facts, 'siteName'>;
  /** The address, in full: whoever opens this has it. */
  address: string;
  /** The token of the link; absent once it is confirmed. */
  link?: string;
  office: OfficeContact;
  styles: readonly string[];
}

/** Where the letter to a new address leads: one button, and after it what has changed. */
export function ConfirmDocument({ facts, address, link, office, styles }: ConfirmDocumentProps) {
  const title = link ? words.title : words.doneTitle;
  return (
    <PlainDocument title={`${title} – ${facts.siteName}`} styles={styles} className="place place--link">
      <p className="eyebrow">
        <a href="/">{facts.siteName}</a>
      </p>
      <h1>{title}</h1>
      <p className="place-address">{address}</p>
      <p className="lede" role={link ? undefined : 'status'}>
        {link ? words.text(facts.siteName) : words.done}
      </p>
      <form method="post" action={link ? formPaths.addressConfirmed : placePaths.link}>
        {link ? (
          <input type="hidden" name="link" value={link} />
        ) : (
          <input type="hidden" name="email" value={address} />
        )}
        <button type="submit" className="button">
          {link ? words.submit : words.newLink}
        </button>
      </form>
      <div>
        <p>{words.help}</p>
        <OfficeWays office={office} />
      </div>
    </PlainDocument>
  );
}
