import { homeLink } from '#shared/content/plain-pages.ts';
import type { PageBlock, TextPage } from '#shared/content/site-pages.ts';
import { PlainDocument } from './ui/plain-document.tsx';
import { SitePageLinks } from './ui/site-page-links.tsx';
import { Entries } from './ui/texts.tsx';
import { type Replacement, withReplacements } from './ui/with-replacements.tsx';

export interface TextDocumentProps {
  page: TextPage;
  siteName: string;
  styles: readonly string[];
  /** The address under which search engines list it; absent where they must not. */
  canonical?: string;
  /** Whether the site has the measurement pixel. */
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

/** A whole page with a text to read, keep and print; needs no script and no store. */
export function TextDocument({ page, siteName, styles, canonical, isMeasured }: TextDocumentProps) {
  const { title, eyebrow, lede, sections, closing } = page;
  return (
    <PlainDocument
      title={`${title} – ${siteName}`}
      styles={styles}
      canonical={canonical}
      className="text-page"
    >
      {eyebrow && <p className="eyebrow">{eyebrow}</p>}
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
          {closing.map((text) => (
            <p key={text}>{text}</p>
          ))}
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
