import { renderToStaticMarkup } from 'react-dom/server';
import type { Letter } from '#server/mail/letters/letter.ts';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import { LetterSheet } from './letter-sheet.tsx';
import { palette } from './palette.ts';
import { darkStyles, outlookHead, printStyles, wideStyles } from './style-sheets.ts';

const DETECTIONS = 'telephone=no, date=no, address=no, email=no, url=no';

/** Sets a letter as HTML for mail clients; React escapes whatever a person typed. */
export function letterHtml(letter: Letter, links: LinkedWords): string {
  const page = renderToStaticMarkup(<LetterPage letter={letter} links={links} />);
  // React writes no comments, and Outlook reads its own only there.
  return `<!doctype html>${page.replace('</head>', `${outlookHead}</head>`)}`;
}

function LetterPage({ letter, links }: { letter: Letter; links: LinkedWords }) {
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
        <style>{darkStyles}</style>
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
          <LetterSheet letter={letter} links={links} />
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
