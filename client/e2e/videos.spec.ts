import assert from 'node:assert/strict';
import { videos } from '#shared/content/compiled/on-sale.ts';
import { videoEmbedHosts } from '#shared/content/video-hosts.ts';
import { type Site, test } from './run/test.ts';

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
    await video.evaluate(({ textTracks: [track] }: HTMLVideoElement) => {
      if (track) track.mode = 'showing';
    });
    assert.equal((await answered).headers()['content-type'], 'text/vtt; charset=utf-8');

    const film = `${origin}${file.src}`;
    assert.ok(!asked.includes(film));
    const loading = page.waitForRequest(film);
    await video.evaluate((element: HTMLVideoElement) => element.play());
    await loading;
    assert.deepEqual(outside(), []);
  });
});
