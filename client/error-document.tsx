import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { failurePage, homeLink, notFoundPage } from '#shared/content/error-pages.ts';
import { mailLink } from '#shared/mail-link.ts';
import { phoneLink } from '#shared/phone-number.ts';
import { PlainDocument } from './ui/plain-document.tsx';

interface ErrorDocumentProps {
  /** The HTTP status of the response: 404, or that of any other failure. */
  status: number;
  styles: readonly string[];
  office: { email: string; phone: string };
}

/** Shown for a page that does not exist or cannot be rendered. A whole page, without a script or store. */
export function ErrorDocument({ status, styles, office }: ErrorDocumentProps) {
  const missing = status === 404;
  const { title, text } = missing ? notFoundPage : failurePage;
  return (
    <PlainDocument title={`${title} – ${facts.siteName}`} styles={styles} className="error-page">
      <h1>{title}</h1>
      <p>{text}</p>
      {!missing && (
        <p>
          <a href={mailLink(office.email)}>{office.email}</a>
          <br />
          <a href={phoneLink(office.phone)}>{office.phone}</a>
        </p>
      )}
      <a className="button" href="/">
        {homeLink}
      </a>
    </PlainDocument>
  );
}
