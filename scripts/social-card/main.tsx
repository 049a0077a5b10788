import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderToStaticMarkup } from 'react-dom/server';
import { launchBrowser } from '#client/e2e/run/browser.ts';
import { Drawing } from '#client/ui/drawing.tsx';
import { checkEdition } from '#scripts/content/check-edition.ts';
import { readInline } from '#scripts/content/pictures.ts';
import { ContentProblems } from '#scripts/content/problems.ts';
import { type EditionFolder, readEdition, readOnSale } from '#scripts/content/read-edition.ts';
import { CARD_FILE, cardWordsOf, recordCard } from '#scripts/content/record.ts';
import { fillsOf, styleSheetOf } from '#scripts/content/theme.ts';
import { chromiumProgram, ensureProgram } from '#scripts/product/system-package.ts';

const SIZE = { width: 1200, height: 630 };
const STYLES = ['client/ui/art/art.css', 'scripts/social-card/social-card.css'];

await drawCard(await readEdition(await readOnSale()));

/** @throws {ContentProblems} when the edition has other problems, which have to be corrected first */
async function drawCard(folder: EditionFolder): Promise<void> {
  const problems = checkEdition(folder);
  if (problems.length > 0) throw new ContentProblems(problems);
  process.env.CHROMIUM_PATH ??= ensureProgram(chromiumProgram);
  const fonts = await Promise.all(['Fraunces', 'Figtree'].map(fontFace));
  const { theme } = folder.written;
  const styles = await Promise.all(STYLES.map((path) => readFile(path, 'utf8')));
  const css = [...fonts, styleSheetOf(theme), fillsOf(theme), ...styles].join('\n');
  const doorway = await readInline('doorway');
  const html = renderToStaticMarkup(<SocialCard {...cardWordsOf(folder)} css={css} doorway={doorway} />);

  const target = join(folder.path, 'media', CARD_FILE);
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await page.setContent(`<!doctype html>${html}`);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: target });
  await browser.close();
  await recordCard(folder);
  console.log(`Drew ${target}.`);
}

async function fontFace(family: string): Promise<string> {
  const name = family.toLowerCase();
  const path = `node_modules/@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`;
  const data = await readFile(path, 'base64');
  return `@font-face{font-family:${family};font-weight:100 900;src:url(data:font/woff2;base64,${data})}`;
}

interface SocialCardProps extends ReturnType<typeof cardWordsOf> {
  css: string;
  /** The markup of the page's own drawing. */
  doorway: string;
}

/** The picture of link previews: the title, the days and the page's own doorway. */
function SocialCard({ title, subtitle, dates, css, doorway }: SocialCardProps) {
  return (
    <html lang="en">
      <head>
        <style>{css}</style>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>{subtitle}</p>
          <p className="dates">{dates}</p>
        </main>
        <Drawing svg={doorway} />
      </body>
    </html>
  );
}
