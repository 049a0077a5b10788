import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { JSDOM } from 'jsdom';
import { everyLetter, readers } from '#scripts/world/letters.ts';
import { listen } from '#server/http/listen.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createPreviewApp } from './preview-app.tsx';

async function startPreview(t: TestContext) {
  const preview = await listen(createPreviewApp(), { host: '127.0.0.1', port: 0 });
  cleanUp(t, () => preview.close());
  return async (path: string) => {
    const response = await fetch(new URL(path, preview.url));
    const body = await response.text();
    return { response, body, document: () => new JSDOM(body).window.document };
  };
}

describe('the preview of the mails', () => {
  test('R5.3 lists every letter for every sample, each of which can be opened', async (t) => {
    const open = await startPreview(t);
    const document = (await open('/')).document();
    const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
    assert.equal(links.length, Object.keys(readers).length * Object.keys(everyLetter()).length);
    for (const link of links) assert.equal((await open(link)).response.status, 200, link);
  });

  test('R5.3 has the letter to an address that already has a place', async (t) => {
    const open = await startPreview(t);
    const document = (await open('/berlin/registration-received-with-a-place/html/light')).document();
    assert.match(document.body.textContent ?? '', /nothing to pay/);
  });

  test('R5.3 shows a letter in light and dark, on a phone and a desktop, as text, with headers and attachments', async (t) => {
    const open = await startPreview(t);
    const document = (await open('/berlin/welcome')).document();
    const frames = [...document.querySelectorAll('iframe')];
    assert.deepEqual(
      frames.map(({ title }) => title),
      ['phone, light', 'desktop, light', 'phone, dark', 'desktop, dark'],
    );
    assert.ok(frames.every((frame) => frame.getAttribute('sandbox') === ''));
    const [text, head] = [...document.querySelectorAll('pre')].map((block) => block.textContent ?? '');
    assert.match(text ?? '', /for you Fri, Jan 23, 2:30 am/);
    assert.match(head ?? '', /^Auto-Submitted: auto-generated$/m);
    const attachment = document.querySelector('a[href$="/attachments/0"]');
    assert.equal(attachment?.textContent, 'the-doorway-retreat.ics');
    const { response, body } = await open(attachment?.getAttribute('href') ?? '');
    assert.match(response.headers.get('content-type') ?? '', /^text\/calendar/);
    assert.match(body, /^BEGIN:VCALENDAR/);
  });

  test('R5.3 shows a letter in the requested colour scheme, whatever the machine’s is', async (t) => {
    const open = await startPreview(t);
    const light = await open('/berlin/welcome/html/light');
    const dark = await open('/berlin/welcome/html/dark');
    assert.match(light.body, /@media not all \{/);
    assert.match(dark.body, /@media all \{/);
    assert.match(light.response.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
  });

  test('R5.3 a hostile name is text on the page and in the frames', async (t) => {
    const open = await startPreview(t);
    for (const letter of Object.keys(everyLetter())) {
      for (const path of [`/hostile/${letter}`, `/hostile/${letter}/html/light`]) {
        assert.equal((await open(path)).document().querySelector('script'), null, path);
      }
    }
  });

  test('R5.3 answers 404 for an unknown sample, letter, scheme or attachment', async (t) => {
    const open = await startPreview(t);
    for (const path of [
      '/nobody/welcome',
      '/constructor/welcome',
      '/berlin/unknown',
      '/berlin/welcome/html/sepia',
      '/berlin/office-notice/attachments/0',
    ]) {
      assert.equal((await open(path)).response.status, 404, path);
    }
  });
});
