import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition, page } from './compiled/on-sale.ts';
import { describeRetreat } from './structured-data.ts';

const pageUrl = 'https://retreat.example/';

test('R8 R9 the retreat begins and ends with its first and last session, in Pacific Time', () => {
  const { startDate, endDate, offers } = describeRetreat(edition, page, { pageUrl, registrationOpen: true });
  assert.deepEqual([startDate, endDate], ['2026-01-22T17:30-08:00', '2026-01-25T12:30-08:00']);
  assert.equal(offers.price, '1395.00');
});

test('R8 while registration is closed there is nothing on offer', () => {
  const availability = (registrationOpen: boolean) =>
    describeRetreat(edition, page, { pageUrl, registrationOpen }).offers.availability;
  assert.equal(availability(true), 'https://schema.org/InStock');
  assert.equal(availability(false), 'https://schema.org/SoldOut');
});

test('every address is absolute, on the site as it is configured', () => {
  const { url, image, offers } = describeRetreat(edition, page, { pageUrl, registrationOpen: true });
  assert.deepEqual(
    [url, ...image, offers.url],
    [pageUrl, new URL(page.search.card.img.src, pageUrl).href, 'https://retreat.example/#register-stepper'],
  );
});
