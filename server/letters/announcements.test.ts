import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { AppError } from '#server/web/app-error.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { announce, readAnnouncements } from './announcements.ts';

const AT = new Date('2026-01-02T17:00:00Z');
const url = 'https://videos.example.org/retreat';

describe('announcements of the office', () => {
  test('R5.1 of two people who announce at once one gets an error, and nothing newer is overwritten', async (t) => {
    const { payments, connect } = await startCharges(t);
    const say = (by: string, one = payments) =>
      announce(one, edition, 'recordings', { url: `${url}?${by}`, at: AT, by }, {});
    const both = await Promise.allSettled([say('Anna'), say('Berta', connect())]);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, 1);
    assert.ok(refused[0] instanceof AppError && refused[0].code === 'announced_meanwhile');
    const { recordings } = await readAnnouncements(payments, edition);
    await assert.rejects(say('Carla'), { code: 'announced_meanwhile' });
    assert.deepEqual((await readAnnouncements(payments, edition)).recordings, recordings);
    const later = { url, at: daysAfter(AT, 1), by: 'Carla' };
    await announce(payments, edition, 'recordings', later, { ...(recordings && { recordings }) });
    assert.deepEqual((await readAnnouncements(payments, edition)).recordings, later);
  });
});
