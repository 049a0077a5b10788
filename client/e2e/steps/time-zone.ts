import type { Page } from '@playwright/test';

/** Emulates a time zone and a locale, which decides between 12 and 24 hours. To be called before the page loads. */
export async function emulateTimeZone(page: Page, timezoneId: string, locale: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId });
  await devtools.send('Emulation.setLocaleOverride', { locale });
}
