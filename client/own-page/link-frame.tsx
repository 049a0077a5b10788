import type { ReactNode } from 'react';
import { PlainDocument } from '#client/ui/plain-document.tsx';
import type { OfficeContact } from '#shared/page.ts';
import { OfficeWays } from './office-section.tsx';

/** What each page here needs besides its content. */
export interface PageProps {
  office: OfficeContact;
  styles: readonly string[];
}

interface LinkFrameProps extends PageProps {
  siteName: string;
  title: string;
  /** Why to write to the office or call it. */
  help: string;
  script?: string | undefined;
  /** For a page that is longer than a message. */
  className?: string;
  children: ReactNode;
}

/** A page that a letter links to, other than her own page: with links to the retreat and to the office. */
export function LinkFrame({ siteName, title, help, office, children, ...page }: LinkFrameProps) {
  const className = ['place place--link', page.className].filter(Boolean).join(' ');
  return (
    <PlainDocument {...page} title={`${title} – ${siteName}`} className={className}>
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
