import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { videoTestimonials } from '#shared/content/testimonials.ts';
import { videoEmbedHosts } from '#shared/content/video-hosts.ts';
import { openPage } from './browser.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

/** A video host's player, which says where it is asked from. */
const PLAYER = '<!doctype html><title>Player</title><script>document.write(document.referrer)</script>';

const [file, hosted] = videoTestimonials;
assert.ok(file && hosted);

describe('videos', () => {
  const run = runProduct();

  /** With every host's player answered on this machine; the watched page forbids what else is outside. */
  async function openVideos(t: TestContext) {
    const watched = await openPage(run.browser, DESKTOP);
    t.after(watched.close);
    const { page } = watched;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const host of videoEmbedHosts) {
      await page.route(`https://${host}/**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: PLAYER }),
      );
    }
    await page.goto(run.product.siteUrl);
    await page.locator('.video-list').scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('.video-list img')].every(({ complete }) => complete),
    );
    const { origin } = new URL(page.url());
    return { ...watched, origin, outside: () => asked.filter((url) => !url.startsWith(origin)), asked };
  }

  test('R1.7 no video host is asked before play is pressed, and then its player alone', async (t) => {
    const { page, origin, outside, assertQuiet } = await openVideos(t);
    const play = page.getByRole('link', { name: `Play the video: ${hosted.label}` });
    await play.hover();
    await play.focus();
    const hints = page.locator('link[href*="//"]:not([rel=canonical]), iframe');
    assert.equal(await hints.count(), 0);
    assert.deepEqual(outside(), []);

    await play.press('Enter');
    const player = page.frameLocator(`iframe[title="${hosted.label}"]`);
    await player.getByText(`${origin}/`, { exact: true }).waitFor();
    assert.deepEqual(outside(), [`${hosted.src}?autoplay=1`]);
    assert.equal(page.url(), `${origin}/`);
    assertQuiet();
  });

  test('R1.7 a film of our own is not loaded before play is pressed', async (t) => {
    const { page, origin, asked, outside, assertQuiet } = await openVideos(t);
    const film = `${origin}${file.src}`;
    assert.ok(!asked.includes(film));
    const loading = page.waitForRequest(film);
    await page.getByLabel(file.label).evaluate((video: HTMLVideoElement) => video.play());
    await loading;
    assert.deepEqual(outside(), []);
    assertQuiet();
  });
});
