import { renderToStaticMarkup } from 'react-dom/server';
import { edition } from '#shared/content/edition.ts';
import type { Message, MessageContext } from './message.ts';

interface Letter {
  subject: string;
  greeting: string;
  paragraphs: readonly string[];
}

const INK = '#33202E';
const PAPER = '#FBF6EF';
const FONT = 'Georgia, "Times New Roman", serif';

/** Sets a letter as HTML and as plain text; React escapes whatever a person typed. */
export function composeLetter(letter: Letter, { office }: MessageContext): Message {
  const closing = `Questions? Write to ${office.email} or call ${office.phone}.`;
  const lines = [letter.greeting, ...letter.paragraphs, closing, edition.siteName];
  return {
    subject: letter.subject,
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html>${renderToStaticMarkup(<LetterPage subject={letter.subject} lines={lines} />)}`,
  };
}

function LetterPage({ subject, lines }: { subject: string; lines: readonly string[] }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, padding: '32px 16px', background: PAPER, color: INK, fontFamily: FONT }}>
        <main style={{ maxWidth: 600, margin: '0 auto', fontSize: 17, lineHeight: 1.6 }}>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </main>
      </body>
    </html>
  );
}
