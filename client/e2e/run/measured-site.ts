import type { Page } from '@playwright/test';
import { expect, type Route } from '@playwright/test';
import { consentCopy } from '#shared/content/consent.ts';
import { privacyButtons } from '#shared/content/privacy.ts';
import { test as base } from './test.ts';

export const PIXEL_SCRIPT = 'https://connect.facebook.net/en_US/fbevents.js';
const PIXEL_REPORTS = 'https://www.facebook.com/tr?';

export const WITH_PIXEL = { META_PIXEL_ID: '1234567890' };

export const test = base.extend<{ pixel: ReturnType<typeof standInForPixel> }>({
  productEnv: [WITH_PIXEL, { scope: 'worker' }],
  pixel: ({}, use) => use(standInForPixel()),
  openEmpty: ({ openEmpty, pixel }, use) =>
    use(async (options) => {
      const page = await openEmpty(options);
      await page.context().route((url) => url.hostname.includes('facebook'), pixel.answer);
      return page;
    }),
});

/**
 * A social network's end of the pixel, as the visitors of a test reach it: gives a script that takes over the page's queue
 * as the real one does, and reports by picture.
 */
function standInForPixel() {
  const requests: string[] = [];
  const reports = () =>
    requests.filter((url) => url.includes('/tr?')).map((url) => new URL(url).searchParams);
  const consents = () => reports().flatMap((report) => report.get('consent') ?? []);
  const events = () => reports().flatMap(eventOf);
  return {
    requests,
    answer(route: Route): Promise<void> {
      const url = route.request().url();
      requests.push(url);
      return route.fulfill(
        url === PIXEL_SCRIPT
          ? { contentType: 'text/javascript', body: `(${pixelScript})();` }
          : { contentType: 'image/gif', body: ONE_PIXEL },
      );
    },
    events: (name?: string) => events().filter((event) => name === undefined || event.name === name),
    consents,
    async untilTold(name: string, times = 1): Promise<void> {
      const told = () => [...events().map((event) => event.name), ...consents()];
      await expect.poll(() => told().filter((each) => each === name).length).toBeGreaterThanOrEqual(times);
    },
  };
}

const ONE_PIXEL = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');

/** An event, with the addresses of the page and of the one that led to it as the pixel was told them. */
function eventOf(report: URLSearchParams) {
  const name = report.get('ev');
  const [page, referrer] = [report.get('dl'), report.get('rl')];
  return name === null ? [] : [{ name, page, referrer, data: report.get('cd'), eventId: report.get('eid') }];
}

/** Runs in the page. Events wait while consent is revoked, and a cookie is set, as the real script does. */
const pixelScript = `function () {
  const pixel = window.fbq;
  let held = [], revoked = false, asked = 0, id;
  // Each under an address of its own: what the browser has asked for once it does not ask for again.
  const ask = (query) => {
    asked += 1;
    new Image().src = '${PIXEL_REPORTS}' + query + '&n=' + asked;
  };
  const send = (name, data, options) => {
    const query = new URLSearchParams({ id, ev: name, dl: location.href, rl: document.referrer });
    if (data) query.set('cd', JSON.stringify(data));
    if (options && options.eventID) query.set('eid', options.eventID);
    ask(query);
  };
  const commands = {
    consent(word) {
      revoked = word === 'revoke';
      ask(new URLSearchParams({ consent: word }));
      if (!revoked) for (const event of held.splice(0)) send(...event);
    },
    set() {},
    init(given) {
      id = given;
      document.cookie = '_fbp=fb.1.1.1; path=/';
    },
    track(...event) {
      if (revoked) held.push(event);
      else send(...event);
    },
    trackCustom(...event) { commands.track(...event); },
  };
  pixel.callMethod = (command, ...args) => commands[command](...args);
  for (const call of pixel.queue.splice(0)) pixel.callMethod(...call);
}`;

export const consentBar = (page: Page) => page.locator('.consent-bar');

export const answer = (page: Page, given: 'granted' | 'denied') =>
  consentBar(page).getByRole('button', { name: consentCopy[given] }).click();

export async function changeAnswer(page: Page, given: 'granted' | 'denied'): Promise<void> {
  await page.getByRole('button', { name: privacyButtons.openWithChoices }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('radio', { name: consentCopy[given] }).check();
  await panel.getByText(consentCopy.choice[given]).waitFor();
  await page.keyboard.press('Escape');
}
