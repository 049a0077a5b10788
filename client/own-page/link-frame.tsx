import type { ReactNode } from 'react';
import { PlainDocument } from '#client/ui/plain-document.tsx';
import type { OfficeContact } from '#shared/page.ts';
import { OfficeWays } from './office-section.tsx';

interface LinkFrameProps {
  siteName: string;
  title: string;
  /** Why to write to the office or call it. */
  help: string;
  office: OfficeContact;
  styles: readonly string[];
  script?: string | undefined;
  /** For a page that is longer than a message. */
  className?: string;
  children: ReactNode;
}

/** A page that a letter links to, other than her own page: with links to the retreat and to the office. */
export function LinkFrame({
  siteName,
  title,
  help,
  office,
  styles,
  script,
  className = '',
  children,
}: LinkFrameProps) {
  return (
    <PlainDocument
      title={`${title} – ${siteName}`}
      styles={styles}
      script={script}
      className={`place place--link ${className}`.trim()}
    >
      <p className="eyebrow">
        <a href="/">{siteName}</a>
      </p>
      <h1>{title}</h1>
      {children}
      <div>
        <p>{help}</p>
        <OfficeWays office={office} />
      </div>
    </PlainDocument>
  );
}
