import assert from 'node:assert/strict';
import { openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { contextWithOffice, everyLetter, letter, letterContext, readers } from '#scripts/world/letters.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';

const office = { email: 'retreat-office@the-doorway.example', phone: '+1 (555) 555-0100' };
const registrant = { email: 'wilma-o-hara@mail.example', phoneNumber: '+49 30 5550142' };
const toRegistrant = Object.values(office);
const days = formatDateRange(facts.startDate, facts.endDate);

/** What must stay on one line, by letter. */
const letters = [
  { job: letter('registration-received'), unbroken: [...toRegistrant, days] },
  { job: letter('welcome'), unbroken: [...toRegistrant, days, formatDate(facts.balanceDueDate)] },
  ...[letter('office-notice'), letter('office-paid')].map((job) => ({
    job: { ...job, ...registrant },
    unbroken: Object.values(registrant),
  })),
];

test.describe('the lines of the letters', () => {
  test('R5.3 no address, phone number or date breaks, and nothing is wider than the phone', async ({
    browser,
    scope,
  }) => {
    const { composeMessage } = await import('#server/letters/compose-message.ts');
    const context = { ...letterContext, office };
    const page = await openPage(browser, scope, { width: 360, height: 800 });
    for (const { job, unbroken } of letters) {
      await page.setContent(composeMessage(job, context).html);
      for (let width = 360; width <= 480; width += 10) {
        await page.setViewportSize({ width, height: 800 });
        const lines = await page.evaluate(countLines, unbroken);
        for (const word of unbroken) {
          const found = lines.filter((line) => line.word === word);
          assert.ok(found.length > 0, `${word} in ${job.kind}`);
          assert.ok(
            found.every(({ count }) => count === 1),
            `${word} in ${job.kind} at ${width}`,
          );
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      }
    }
  });
  for (const { label, person } of Object.values(readers))
    test(`R5.3 no letter is wider than a phone: ${label}`, async ({ browser, scope }) => {
      const { composeMessage } = await import('#server/letters/compose-message.ts');
      const page = await openPage(browser, scope, { width: 400, height: 800 });
      const sources = Object.entries(everyLetter(person)).map(([name, job]) => ({
        name,
        html: composeMessage(job, contextWithOffice).html,
      }));
      assert.deepEqual(await page.evaluate(tooWide, { sources, widths: [320, 360, 390] }), []);
    });
});

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

/** The number of lines that each occurrence of some words takes. */
function countLines(words: readonly string[]): { word: string; count: number }[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: { word: string; count: number }[] = [];
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    for (const word of words) {
      const start = (node.textContent ?? '')
        .replaceAll('\u00a0', ' ')
        .indexOf(word.replaceAll('\u00a0', ' '));
      if (start === -1) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + word.length);
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
      if (tops.length > 0) found.push({ word, count: new Set(tops).size });
    }
  }
  return found;
}
