import type { Facts } from '#shared/content/edition.ts';
import { confirmWords as words } from '#shared/content/own-page-details.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OfficeContact } from '#shared/page.ts';
import { LinkFrame } from './link-frame.tsx';

interface ConfirmDocumentProps {
  facts: Pick<Facts, 'siteName'>;
  /** The address, in full: the letter with this link was sent to it. */
  address: string;
  /** The token of the link; absent once the address is confirmed. */
  link?: string;
  office: OfficeContact;
  styles: readonly string[];
}

/** The page that the letter to a new address links to: a button that confirms it, and then the result. */
export function ConfirmDocument({ facts, address, link, office, styles }: ConfirmDocumentProps) {
  const title = link ? words.title : words.doneTitle;
  return (
    <LinkFrame siteName={facts.siteName} title={title} help={words.help} office={office} styles={styles}>
      <p className="place-address">{address}</p>
      <p className="lede" role={link ? undefined : 'status'}>
        {link ? words.text(facts.siteName) : words.done}
      </p>
      <form method="post" action={link ? formPaths.addressConfirmed : ownPagePaths.link}>
        {link ? (
          <input type="hidden" name="link" value={link} />
        ) : (
          <input type="hidden" name="email" value={address} />
        )}
        <button type="submit" className="button">
          {link ? words.submit : words.newLink}
        </button>
      </form>
    </LinkFrame>
  );
}
