import assert from 'node:assert/strict';
import { videos } from '#shared/content/compiled/on-sale.ts';
import { findVideoEmbed, videoEmbedHosts } from '#shared/content/video-hosts.ts';
import { type Site, test } from './run/test.ts';
import { untilArrived } from './steps/loading.ts';

/** A stand-in for a video host's player, which shows its referrer. */
const PLAYER = '<!doctype html><title>Player</title><script>document.write(document.referrer)</script>';

const [file, hosted] = videos;
assert.ok(file && hosted);

test.describe('videos', () => {
  /** Opens the videos, with every host's player served from this machine; the watched page blocks all other hosts. */
  async function openVideos(site: Site) {
    const page = await site.openEmpty();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const host of videoEmbedHosts) {
      await page.route(`https://${host}/**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: PLAYER }),
      );
    }
    await page.goto(site.product.siteUrl);
    await page.locator('.video-list').scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('.video-list img')].every(({ complete }) => complete),
    );
    const { origin } = new URL(page.url());
    return { page, origin, outside: () => asked.filter((url) => !url.startsWith(origin)), asked };
  }

  test('R1.7 no video host is contacted before play is pressed, and then only its player is loaded', async ({
    site,
  }) => {
    const { page, origin, outside } = await openVideos(site);
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
  });

  test('R1.7 its link has its name before it was on screen', async ({ site }) => {
    const page = await site.open();
    await untilArrived(page);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const named = nodes.filter(({ ignored, role }) => !ignored && ['link', 'button'].includes(role?.value));
    assert.ok(named.some(({ name }) => name?.value === `Play the video: ${hosted.label}`));
    assert.deepEqual(
      named.filter(({ name }) => !name?.value),
      [],
    );
  });

  test('R1.7 if a player fails to load, a link to its host is the keyboard’s next stop', async ({ site }) => {
    const { page } = await openVideos(site);
    const { page: own } = findVideoEmbed(hosted.src) ?? {};
    assert.ok(own);
    for (const host of videoEmbedHosts) await page.route(`https://${host}/**`, (route) => route.abort());
    const watch = page.getByRole('link', { name: `Watch it on ${own.name}, in a new tab` });
    assert.equal(await watch.count(), 0);
    // When the browser's own error page appears, it replaces the player and takes its focus.
    const failed = page.waitForEvent('framenavigated', (frame) => frame.url().startsWith('chrome-error:'));
    await page.getByRole('link', { name: `Play the video: ${hosted.label}` }).press('Enter');
    await watch.waitFor();
    assert.equal(await watch.getAttribute('href'), own.address);
    await failed;
    await page.locator('iframe:focus').waitFor();
    await page.keyboard.press('Tab');
    await watch.and(page.locator(':focus')).waitFor();
  });

  test('R1.7 a video on this site is not loaded before play is pressed; its captions load only once they are switched on', async ({
    site,
  }) => {
    const { page, origin, asked, outside } = await openVideos(site);
    const [captions] = file.captions ?? [];
    assert.ok(captions);
    const video = page.getByLabel(file.label);
    const tracks = await video.evaluate(({ textTracks }: HTMLVideoElement) =>
      [...textTracks].map(({ kind, language, label, mode }) => ({ kind, language, label, mode })),
    );
    const { language, label } = captions;
    assert.deepEqual(tracks, [{ kind: 'captions', language, label, mode: 'disabled' }]);
    assert.ok(!asked.includes(`${origin}${captions.src}`));

    const answered = page.waitForResponse(`${origin}${captions.src}`);
    const cues = video.evaluate(async (element: HTMLVideoElement) => {
      const track = element.querySelector('track');
      if (!track) throw new Error('There is no track');
      const loaded = new Promise((resolve, reject) => {
        track.addEventListener('load', resolve);
        track.addEventListener('error', reject);
      });
      track.track.mode = 'showing';
      await loaded;
      return track.track.cues?.length ?? 0;
    });
    assert.equal((await answered).headers()['content-type'], 'text/vtt; charset=utf-8');
    assert.ok((await cues) > 0);

    const film = `${origin}${file.src}`;
    assert.ok(!asked.includes(film));
    const loading = page.waitForRequest(film);
    await video.evaluate((element: HTMLVideoElement) => element.play());
    await loading;
    assert.deepEqual(outside(), []);
  });
});
