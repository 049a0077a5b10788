import { nextTask, whenIdle } from '#client/loading/when-idle.ts';

/** The sections whose layout page-section.css defers. */
const DEFERRED_SECTIONS = '.section ~ div > .section ~ .section';

/**
 * Ends the arrival phase (`data-arriving`): lays out the deferred sections, one per task, so that presses are
 * handled in between. Afterwards the sections no longer change size, wherever a visitor scrolls.
 */
export async function layOutSections(): Promise<void> {
  const page = document.documentElement;
  const sections = [...document.querySelectorAll<HTMLElement>(DEFERRED_SECTIONS)];
  const waiting = sections.values();
  const next = (): void => {
    const { value: section } = waiting.next();
    if (section && 'arriving' in page.dataset) {
      section.style.contentVisibility = 'visible';
      whenIdle(next);
    } else {
      delete page.dataset.arriving;
      for (const { style } of sections) style.contentVisibility = '';
    }
  };
  await showLateFonts();
  whenIdle(next);
}

/**
 * Shows the page's fonts on a first visit too: there they come after the first layout, and with `font-display: optional`
 * (client/styles/fonts.css) the browser then stays with the fallback fonts. So does the page, if anything on screen would
 * change its height.
 */
async function showLateFonts(): Promise<void> {
  if (performance.getEntriesByType('resource').some(isCachedFont)) return;
  const faces = readFaces();
  const loaded = await Promise.allSettled(faces.map((face) => face.load()));
  if (loaded.some(({ status }) => status === 'rejected')) return;
  const before = heightsOnScreen();
  // One per task, as each causes a layout. Budget: TBT below 60 ms.
  for (const face of faces) {
    await nextTask();
    document.fonts.add(face);
    if (heightsOnScreen() === before) continue;
    for (const added of faces) document.fonts.delete(added);
    return;
  }
}

/** Fonts from the cache are there for the first layout. */
function isCachedFont(entry: PerformanceEntry): boolean {
  return (
    entry instanceof PerformanceResourceTiming && entry.name.endsWith('.woff2') && entry.transferSize === 0
  );
}

/** The fonts of the style sheet in the document, as fonts that scripts can add. */
function readFaces(): FontFace[] {
  return [...(document.styleSheets[0]?.cssRules ?? [])].flatMap((rule) => {
    if (!(rule instanceof CSSFontFaceRule)) return [];
    const [family = '', src = '', weight = ''] = ['font-family', 'src', 'font-weight'].map((name) =>
      rule.style.getPropertyValue(name),
    );
    return src.includes('url(') ? [new FontFace(family.replaceAll('"', ''), src, { weight })] : [];
  });
}

/** Where everything is in the sections on screen, and how high, in whole pixels. */
function heightsOnScreen(): string {
  return [...document.querySelectorAll('.site-header, .section')]
    .filter((section) => {
      const { top, bottom } = section.getBoundingClientRect();
      return top < innerHeight && bottom > 0;
    })
    .flatMap((section) => [...section.querySelectorAll('*')])
    .map((element) => {
      const { top, height } = element.getBoundingClientRect();
      return top < innerHeight ? [Math.round(top), Math.round(height)] : [];
    })
    .join();
}
