import assert from 'node:assert/strict';
import { openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import type { Message } from '#server/letters/compose-message.ts';
import { contextWithOffice, everyLetter, readers } from '#server/testing/sample-letters.ts';

test.describe('the lines of the letters', () => {
  for (const { label, person } of Object.values(readers))
    test(`R5.3 no letter is wider than a phone: ${label}`, async ({ browser, scope }) => {
      const { composeMessage } = await import('#server/letters/compose-message.ts');
      const page = await openPage(browser, scope, { width: 400, height: 800 });
      const sources = Object.entries(everyLetter(person)).map(([name, mail]) => ({
        name,
        html: shown(composeMessage(mail, contextWithOffice)),
      }));
      assert.deepEqual(await page.evaluate(tooWide, { sources, widths: [320, 360, 390] }), []);
    });
});

/** As a mail client shows it, with the pictures that come with it. */
function shown({ html, attachments }: Message): string {
  const pictures = attachments.filter(({ cid }) => cid !== undefined);
  return pictures.reduce(
    (whole, { cid, contentType, content }) =>
      whole.replaceAll(`cid:${cid}`, `data:${contentType};base64,${content}`),
    html,
  );
}

interface Source {
  name: string;
  html: string;
}

/** The letters that are wider than a frame of one of these widths, and how wide they are. */
async function tooWide({ sources, widths }: { sources: Source[]; widths: number[] }): Promise<string[]> {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const found: string[] = [];
  for (const { name, html } of sources) {
    await new Promise((resolve) => {
      frame.onload = resolve;
      frame.srcdoc = html;
    });
    for (const width of widths) {
      frame.style.width = `${width}px`;
      const { scrollWidth = 0 } = frame.contentDocument?.documentElement ?? {};
      if (scrollWidth !== frame.clientWidth) found.push(`${name} at ${width}: ${scrollWidth}`);
    }
  }
  return found;
}
