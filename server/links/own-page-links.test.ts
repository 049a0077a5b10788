import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownPagePaths } from '#shared/own-page.ts';
import { confirmDigest, confirmEndsAt, createOwnPageLinks } from './own-page-links.ts';

const SITE = 'https://retreat.example';
const links = createOwnPageLinks(['a-secret-of-at-least-32-characters-here'], SITE);
const asked = { to: 'new@example.org', at: new Date('2025-12-05T10:00:00.123Z') };
const untilAsked = new Date('2025-12-08T10:00:00.123Z');
const token = { deposit: 'pi_1', epoch: 2 };
const tokenOf = (url: string) => new URL(url).pathname.slice(ownPagePaths.enter.length);

describe('the link that confirms an address', () => {
  const confirm = tokenOf(links.confirmUrl(token, asked));

  test('contains the registration and the request for three days, and no address', () => {
    assert.deepEqual(confirmEndsAt(asked), untilAsked);
    const expiresAt = new Date('2025-12-08T10:00:00Z');
    const read = links.readConfirm(confirm, asked.at);
    assert.deepEqual(read, { ...token, digest: confirmDigest(asked), expiresAt });
    assert.equal(links.readConfirm(confirm, untilAsked), undefined);
    assert.doesNotMatch(decodeURIComponent(confirm), /new|example/);
  });

  test('differs for a later request, and for another address', () => {
    const later = { ...asked, at: new Date(asked.at.getTime() + 1) };
    const other = { ...asked, to: 'other@example.org' };
    assert.equal(new Set([asked, later, other].map(confirmDigest)).size, 3);
  });

  test('does not open her page, and no other link confirms an address', () => {
    assert.equal(links.read(confirm, asked.at), undefined);
    const ownPage = tokenOf(links.url({ ...token, expiresAt: untilAsked }));
    assert.equal(links.read(ownPage, asked.at)?.scope, 'place');
    assert.equal(links.readConfirm(ownPage, asked.at), undefined);
  });

  test('is invalid once anything in it is changed', () => {
    const digest = confirmDigest(asked);
    const other = confirmDigest({ ...asked, to: 'other@example.org' });
    for (const forged of [
      confirm.replace(digest, other),
      confirm.replace(`confirm-${digest}`, 'place'),
      confirm.replace('.2.', '.3.'),
      confirm.replace('pi_1', 'pi_2'),
    ]) {
      assert.notEqual(forged, confirm);
      assert.equal(links.read(forged, asked.at), undefined);
      assert.equal(links.readConfirm(forged, asked.at), undefined);
    }
  });
});
