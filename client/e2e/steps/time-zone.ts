import type { Page } from 'playwright-core';

/** Puts the browser of a page elsewhere, before it loads anything: its time zone, and how its clocks are read. */
export async function moveTo(page: Page, timezoneId: string, locale: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId });
  await devtools.send('Emulation.setLocaleOverride', { locale });
}
