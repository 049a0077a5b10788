import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownPagePaths } from '#shared/own-page.ts';
import {
  confirmDigest,
  confirmEndsAt,
  createOwnPageLinks,
  createWaitingLinks,
  waitingScopes,
} from './links.ts';

const SITE = 'https://retreat.example';
const links = createOwnPageLinks(['a-secret-of-at-least-32-characters-here'], SITE);
const asked = { to: 'new@example.org', at: new Date('2025-12-05T10:00:00.123Z') };
const untilAsked = new Date('2025-12-08T10:00:00.123Z');
const token = { registration: 'reg_1', epoch: 2 };
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
      confirm.replace('reg_1', 'reg_2'),
    ]) {
      assert.notEqual(forged, confirm);
      assert.equal(links.read(forged, asked.at), undefined);
      assert.equal(links.readConfirm(forged, asked.at), undefined);
    }
  });
});

const now = new Date('2025-12-05T12:00:00Z');
const entry = { waitingId: 'waiting_1', expiresAt: new Date('2025-12-07T12:00:00Z') };
const waiting = createWaitingLinks(['a-secret', 'the-one-before'], SITE);

test('a token of the waiting list opens only what its scope says, until it expires', () => {
  for (const scope of waitingScopes) {
    const text = waiting.format({ ...entry, scope });
    for (const other of waitingScopes)
      assert.equal(waiting.read(text, other, now)?.waitingId, other === scope ? 'waiting_1' : undefined);
    assert.equal(waiting.read(text, scope, entry.expiresAt), undefined);
    assert.deepEqual(waiting.readExpired(text, scope), { ...entry, scope });
    assert.equal(waiting.read(text.replace('waiting_1', 'waiting_2'), scope, now), undefined);
    assert.equal(createWaitingLinks(['another'], SITE).readExpired(text, scope), undefined);
  }
  const before = createWaitingLinks(['the-one-before'], SITE).format({ ...entry, scope: 'offer' });
  assert.ok(waiting.read(before, 'offer', now));
});

test('R5.3 a token of the waiting list does not open her page, and her page’s tokens do not open the waiting list', () => {
  const ownPage = createOwnPageLinks(['a-secret'], SITE);
  for (const scope of waitingScopes) {
    const text = waiting.format({ ...entry, scope });
    assert.equal(ownPage.read(text, now), undefined);
    assert.equal(ownPage.readConfirm(text, now), undefined);
    for (const own of ['place', 'session', 'view', 'look', 'office'] as const) {
      const other = ownPage.format({
        registration: 'reg_1',
        epoch: 0,
        scope: own,
        expiresAt: entry.expiresAt,
      });
      assert.equal(waiting.readExpired(other, scope), undefined);
      assert.equal(waiting.readExpired(other.replace(/^v1\.reg_/, 'w1.cus_'), scope), undefined);
    }
  }
});
