import { renderToStaticMarkup } from 'react-dom/server';
import type { Letter } from '#server/mail/letters/letter.ts';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import type { Edition } from '#shared/content/edition.ts';
import { LetterBlock } from './blocks.tsx';
import { Inline } from './inline.tsx';
import {
  darkStylesOf,
  LookContext,
  lookOf,
  outlookHead,
  printStyles,
  SERIF,
  useLook,
  wideStyles,
} from './styles.ts';

const DETECTIONS = 'telephone=no, date=no, address=no, email=no, url=no';

/** Sets a letter as HTML for mail clients, in the edition's colours; React escapes whatever a person typed. */
export function letterHtml(letter: Letter, { facts, palette }: Edition, links: LinkedWords): string {
  const page = renderToStaticMarkup(
    <LookContext value={lookOf(palette)}>
      <LetterPage letter={letter} siteName={facts.siteName} links={links} />
    </LookContext>,
  );
  // React writes no comments, and Outlook reads its own only there.
  return `<!doctype html>${page.replace('</head>', `${outlookHead}</head>`)}`;
}

function LetterPage({ letter, siteName, links }: LetterSheetProps) {
  const { palette } = useLook();
  const background = { backgroundColor: palette.sand.light };
  return (
    <html lang="en" dir="ltr">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content={DETECTIONS} />
        <meta name="x-apple-disable-message-reformatting" />
        <title>{letter.subject}</title>
        {/* Two sheets: a client that stumbles over one keeps the other. */}
        <style>{wideStyles + printStyles}</style>
        <style>{darkStylesOf(palette)}</style>
      </head>
      <body className="on-sand" style={{ ...background, margin: 0, padding: 0, wordSpacing: 'normal' }}>
        <Preheader text={letter.preheader} />
        {/* biome-ignore lint/a11y/useSemanticElements: mail clients drop elements younger than tables */}
        <div
          className="on-sand"
          role="article"
          aria-roledescription="email"
          aria-label={letter.subject}
          lang="en"
          dir="ltr"
          style={{ ...background, WebkitTextSizeAdjust: '100%' }}
        >
          <LetterSheet letter={letter} siteName={siteName} links={links} />
        </div>
      </body>
    </html>
  );
}

/** Shown by inboxes beside the subject; what follows it there is blank, or the letter's first words would be. */
function Preheader({ text }: { text: string }) {
  return (
    <div
      style={{ display: 'none', maxHeight: 0, overflow: 'hidden', opacity: 0, fontSize: 1, msoHide: 'all' }}
    >
      {text}
      {'\u200c\u00a0'.repeat(90)}
    </div>
  );
}

const table = { role: 'presentation', cellPadding: 0, cellSpacing: 0, border: 0, width: '100%' } as const;

interface LetterSheetProps {
  letter: Letter;
  siteName: string;
  links: LinkedWords;
}

/** The letter's sheet of paper: 600 pixels wide at most, in the middle of whatever shows it. */
function LetterSheet({ letter, siteName, links }: LetterSheetProps) {
  const { palette, styles } = useLook();
  const sheet = { maxWidth: 600, backgroundColor: palette.paper.light, textAlign: 'left' } as const;
  return (
    <table {...table}>
      <tbody>
        <tr>
          <td className="margin" align="center" style={{ padding: 0 }}>
            <table {...table} className="sheet on-paper" align="center" style={sheet}>
              <tbody>
                <tr>
                  <td className="edge" style={{ padding: '32px 20px' }}>
                    <Door siteName={siteName} />
                    <h1 className="title ink" style={styles.title}>
                      {letter.title}
                    </h1>
                    {letter.blocks.map((block) => (
                      <LetterBlock key={JSON.stringify(block)} block={block} links={links} />
                    ))}
                    <Foot letter={letter} links={links} />
                  </td>
                </tr>
              </tbody>
            </table>
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** The retreat's emblem in the only means that every client has: a coloured cell, with its name beside it. */
function Door({ siteName }: { siteName: string }) {
  const { palette } = useLook();
  const door = {
    width: 16,
    height: 24,
    borderRadius: '8px 8px 0 0',
    backgroundColor: palette.accent.light,
    fontSize: 1,
    lineHeight: 1,
  };
  const name = {
    paddingLeft: 12,
    font: `italic 17px/24px ${SERIF}`,
    color: palette.ink.light,
    verticalAlign: 'bottom',
  };
  return (
    <table {...table} style={{ margin: '0 0 28px' }}>
      <tbody>
        <tr>
          <td className="on-accent" aria-hidden="true" width={16} height={24} style={door}>
            {'\u00a0'}
          </td>
          <td className="ink" style={name}>
            {siteName}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function Foot({ letter: { signature, reason }, links }: Omit<LetterSheetProps, 'siteName'>) {
  const { palette, styles } = useLook();
  return (
    <table
      {...table}
      className="rule"
      style={{ marginTop: 32, borderTop: `1px solid ${palette.rule.light}` }}
    >
      <tbody>
        <tr>
          <td style={{ paddingTop: 20 }}>
            <p className="ink-soft" style={styles.small}>
              <Inline text={signature} links={links} />
            </p>
            <p className="ink-soft" style={{ ...styles.small, margin: 0 }}>
              <Inline text={reason} links={links} />
            </p>
          </td>
        </tr>
      </tbody>
    </table>
  );
}
