import { whenIdle } from './when-idle.ts';

/**
 * Ends the arrival: lays out the sections that were left for later, one in a task, so that a press gets in between.
 * Their places hold from then on, wherever a visitor goes.
 */
export async function layOutSections(): Promise<void> {
  const page = document.documentElement;
  const sections = [...document.getElementsByClassName('section')];
  const next = (): void => {
    const section = sections.shift();
    if (section && 'arriving' in page.dataset) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`#${section.id} { content-visibility: visible }`);
      document.adoptedStyleSheets.push(sheet);
      whenIdle(next);
    } else {
      delete page.dataset.arriving;
    }
  };
  await document.fonts.ready;
  whenIdle(next);
}
