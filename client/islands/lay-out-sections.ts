import { whenIdle } from '#client/loading/when-idle.ts';

/** Those that page-section.css leaves for later. */
const LEFT = '.section ~ div > .section ~ .section';

/**
 * Ends the arrival: lays out the sections that were left for later, one in a task, so that a press gets in between.
 * Their places hold from then on, wherever a visitor goes.
 */
export async function layOutSections(): Promise<void> {
  const page = document.documentElement;
  const sections = [...document.querySelectorAll(LEFT)];
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
