import { whenIdle } from '#client/loading/when-idle.ts';
import { showLateFonts } from './show-late-fonts.ts';

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
