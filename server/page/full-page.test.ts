import assert from 'node:assert/strict';
import { test } from 'node:test';
import request from 'supertest';
import { startSiteWithPlaces, startTestSite } from '#server/testing/test-site.ts';
import { renderToMemory } from './render-page.ts';

/** What the structured data say of the number of places, whether or not it is reached. */
const CAPACITY = '"maximumVirtualAttendeeCapacity":1,';

test('while there are places the page is the same to the byte as without a limit of places', async (t) => {
  const { app: unbounded } = await startTestSite(t);
  const before = await request(unbounded).get('/').expect(200);
  const { app } = await startSiteWithPlaces(t, 1);
  const { text } = await request(app).get('/').expect(200);
  assert.equal(text.replace(CAPACITY, ''), before.text);
  assert.equal(text.length, before.text.length + CAPACITY.length);
});

test('once the last place is held the page says so, search engines see that it is sold out, and calls to action stay', async (t) => {
  let renders = 0;
  const site = await startSiteWithPlaces(t, 1, {
    changes: {
      renderPage: (page, open) => {
        renders += 1;
        return renderToMemory(page, open);
      },
    },
  });
  const page = async () => (await request(site.app).get('/').expect(200)).text;
  const before = await page();
  assert.match(before, /schema\.org\/InStock/);
  await site.visit('anna').submit();
  await site.placesShown.look();
  const full = await page();
  assert.match(full, /schema\.org\/SoldOut/);
  assert.match(full, /<h2 id="register-title">Every place is taken/);
  const callsToAction = (html: string) => html.split('href="#register-stepper"').length;
  assert.equal(callsToAction(full), callsToAction(before));
  assert.doesNotMatch(full, /waiting-list/);
  t.mock.method(site.admission.places, 'count', () => Promise.reject(new Error('The register is locked')));
  await site.placesShown.look();
  assert.equal(await page(), before);
  assert.equal(renders, 2);
});
