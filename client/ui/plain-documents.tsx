import type { ReactNode } from 'react';
import { facts } from '#shared/content/compiled/on-sale.ts';
import type { Facts, Terms } from '#shared/content/edition.ts';
import { failurePage, homeLink, notFoundPage, termsPage } from '#shared/content/plain-pages.ts';
import { policiesOf } from '#shared/content/policies.ts';
import {
  type PageBlock,
  sectionOf,
  sitePages,
  sitePagesOf,
  type TextPage,
} from '#shared/content/site-pages.ts';
import { formatDateRange } from '#shared/dates.ts';
import { themeScript } from '#shared/head/head-script.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { type OfficeContact, PAGE_LANGUAGE } from '#shared/page.ts';
import { Art } from './picture.tsx';
import { Entries, Paragraphs, type Replacement, withReplacements } from './texts.tsx';

export interface PageLook {
  styleSheet: string;
  fonts: readonly string[];
}

interface PlainDocumentProps {
  title: string;
  look: PageLook;
  refreshTo?: string | undefined;
  /** The address under which search engines list the page; they must not list one without it. */
  canonical?: string | undefined;
  className: string;
  children: ReactNode;
}

export function PlainDocument({
  title,
  look,
  refreshTo,
  canonical,
  className,
  children,
}: PlainDocumentProps) {
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {canonical ? <link rel="canonical" href={canonical} /> : <meta name="robots" content="noindex" />}
        {refreshTo && <meta httpEquiv="refresh" content={`0; url=${refreshTo}`} />}
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant script
          dangerouslySetInnerHTML={{ __html: themeScript }}
        />
        <FontPreloads of={look.fonts} />
        <link rel="stylesheet" href={look.styleSheet} />
      </head>
      <body>
        <main className={className}>{children}</main>
      </body>
    </html>
  );
}

/** Without it, a font is requested only once the style sheet has come and text is laid out. */
export function FontPreloads({ of }: { of: readonly string[] }) {
  return of.map((href) => (
    <link key={href} rel="preload" as="font" type="font/woff2" href={href} crossOrigin="" />
  ));
}

interface TextDocumentProps {
  page: TextPage;
  siteName: string;
  look: PageLook;
  canonical?: string;
  isMeasured: boolean;
}

/** The text has a plain hyphen, at which a narrow screen would break the word. */
const WHOLE_WORDS: Replacement[] = [
  [
    'e-mail',
    <span key="e-mail" className="whole-word">
      e-mail
    </span>,
  ],
];

export function TextDocument({ page, siteName, look, canonical, isMeasured }: TextDocumentProps) {
  const { title, eyebrow, lede, sections, closing } = page;
  return (
    <PlainDocument title={`${title} – ${siteName}`} look={look} canonical={canonical} className="text-page">
      <p className="eyebrow">
        <a href="/">{eyebrow ?? siteName}</a>
      </p>
      <h1>{title}</h1>
      <p className="lede">{lede}</p>
      {sections.map(({ title: heading, blocks }) => (
        <section key={heading}>
          <h2>{heading}</h2>
          {blocks.map((block) => (
            <Block key={typeof block === 'string' ? block : JSON.stringify(block)} block={block} />
          ))}
        </section>
      ))}
      {closing && (
        <footer>
          <Paragraphs of={closing} />
        </footer>
      )}
      <a className="button button--quiet" href="/">
        {homeLink}
      </a>
      <SitePageLinks isMeasured={isMeasured} />
    </PlainDocument>
  );
}

function Block({ block }: { block: PageBlock }) {
  if (typeof block === 'string') return <p>{withReplacements(block, WHOLE_WORDS)}</p>;
  if ('entries' in block)
    return (
      <dl>
        <Entries
          of={block.entries.map(({ title, text, href }) => ({
            title,
            text: href === undefined ? text : <a href={href}>{text}</a>,
          }))}
        />
      </dl>
    );
  const { caption, head, rows } = block.table;
  return (
    <table>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {head.map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others]) => (
          <tr key={first}>
            <th scope="row">{first}</th>
            {others.map((text, index) => (
              <td key={head[index + 1]} data-label={head[index + 1]}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ErrorDocumentProps {
  status: number;
  look: PageLook;
  office: { email: string; phone: string };
  isMeasured: boolean;
}

export function ErrorDocument({ status, look, office, isMeasured }: ErrorDocumentProps) {
  const missing = status === 404;
  const { title, text } = missing ? notFoundPage : failurePage;
  return (
    <PlainDocument title={`${title} – ${facts.siteName}`} look={look} className="error-page">
      {missing && <Art name="closed-door" className="error-door" />}
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
      <SitePageLinks isMeasured={isMeasured} />
    </PlainDocument>
  );
}

interface TermsDocumentProps {
  facts: Facts;
  terms: Terms;
  look: PageLook;
  office: OfficeContact;
  isMeasured: boolean;
}

export function TermsDocument({ facts, terms, office, ...shown }: TermsDocumentProps) {
  const { title, siteName, startDate, endDate } = facts;
  const page = {
    title: termsPage.title,
    eyebrow: `${title}, ${formatDateRange(startDate, endDate)}`,
    lede: termsPage.version(terms.version),
    sections: policiesOf(terms, office, siteName).map(sectionOf),
    closing: [termsPage.frozen, `${termsPage.digest} ${terms.digest}`],
  };
  return <TextDocument page={page} siteName={siteName} {...shown} />;
}

/**
 * Links to the pages about the site.
 * @param isMeasured whether the site has the measurement pixel: there is then a page about health data
 */
export function SitePageLinks({ isMeasured }: { isMeasured: boolean }) {
  return (
    <p className="page-links">
      {sitePagesOf(isMeasured).map((name) => (
        <a key={name} href={sitePages[name].path}>
          {sitePages[name].title}
        </a>
      ))}
    </p>
  );
}
