import { whenIdle } from '#client/loading/when-idle.ts';

/** The sections whose layout page-section.css defers. */
const DEFERRED_SECTIONS = '.section ~ div > .section ~ .section';

/**
 * Ends the arrival phase (`data-arriving`): lays out the deferred sections, one per task, so that presses are
 * handled in between. Afterwards the sections no longer change size, wherever a visitor scrolls.
 */
export async function layOutSections(): Promise<void> {
  const page = document.documentElement;
  const sections = [...document.querySelectorAll(DEFERRED_SECTIONS)];
  const sheets: CSSStyleSheet[] = [];
  const next = (): void => {
    const section = sections.shift();
    if (section && 'arriving' in page.dataset) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`#${section.id} { content-visibility: visible }`);
      sheets.push(sheet);
      document.adoptedStyleSheets.push(sheet);
      whenIdle(next);
    } else {
      delete page.dataset.arriving;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    }
  };
  await document.fonts.ready;
  whenIdle(next);
}
