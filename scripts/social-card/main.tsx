import { readFile } from 'node:fs/promises';
import { renderToStaticMarkup } from 'react-dom/server';
import { launchBrowser } from '#client/e2e/run/browser.ts';
import { Art } from '#client/ui/art.tsx';
import { chromiumProgram, ensureProgram } from '#scripts/product/system-package.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { formatDateRange } from '#shared/dates.ts';

const TARGET = 'client/public/social-card.png';
const SIZE = { width: 1200, height: 630 };
const STYLES = ['client/styles/tokens.css', 'client/ui/art.css', 'scripts/social-card/social-card.css'];

async function fontFace(family: string): Promise<string> {
  const name = family.toLowerCase();
  const path = `node_modules/@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`;
  const data = await readFile(path, 'base64');
  return `@font-face{font-family:${family};font-weight:100 900;src:url(data:font/woff2;base64,${data})}`;
}

process.env.CHROMIUM_PATH ??= ensureProgram(chromiumProgram);
const fonts = await Promise.all(['Fraunces', 'Figtree'].map(fontFace));
const styles = await Promise.all(STYLES.map((path) => readFile(path, 'utf8')));
const html = renderToStaticMarkup(<SocialCard css={[...fonts, ...styles].join('\n')} />);

const browser = await launchBrowser();
const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
await page.setContent(`<!doctype html>${html}`);
await page.evaluate(() => document.fonts.ready);
await page.screenshot({ path: TARGET });
await browser.close();
console.log(`Drew ${TARGET}.`);

/** The picture of link previews: the title, the days and the page's own doorway. */
function SocialCard({ css }: { css: string }) {
  return (
    <html lang="en">
      <head>
        <style>{css}</style>
      </head>
      <body>
        <main>
          <h1>{facts.title}</h1>
          <p>{facts.subtitle}</p>
          <p className="dates">{formatDateRange(facts.startDate, facts.endDate)}</p>
        </main>
        <Art name="doorway" />
      </body>
    </html>
  );
}
