import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnPageLinks } from './own-page-links.ts';
import { createWaitingLinks, waitingScopes } from './waiting-links.ts';

const SITE = 'https://retreat.example';
const now = new Date('2025-12-05T12:00:00Z');
const token = { waitingId: 'waiting_1', expiresAt: new Date('2025-12-07T12:00:00Z') };
const links = createWaitingLinks(['a-secret', 'the-one-before'], SITE);

test('a token of the waiting list opens only what its scope says, until it expires', () => {
  for (const scope of waitingScopes) {
    const text = links.format({ ...token, scope });
    for (const other of waitingScopes)
      assert.equal(links.read(text, other, now)?.waitingId, other === scope ? 'waiting_1' : undefined);
    assert.equal(links.read(text, scope, token.expiresAt), undefined);
    assert.deepEqual(links.readExpired(text, scope), { ...token, scope });
    assert.equal(links.read(text.replace('waiting_1', 'waiting_2'), scope, now), undefined);
    assert.equal(createWaitingLinks(['another'], SITE).readExpired(text, scope), undefined);
  }
  const before = createWaitingLinks(['the-one-before'], SITE).format({ ...token, scope: 'offer' });
  assert.ok(links.read(before, 'offer', now));
});

test('R5.3 a token of the waiting list does not open her page, and her page’s tokens do not open the waiting list', () => {
  const ownPage = createOwnPageLinks(['a-secret'], SITE);
  for (const scope of waitingScopes) {
    const text = links.format({ ...token, scope });
    assert.equal(ownPage.read(text, now), undefined);
    assert.equal(ownPage.readConfirm(text, now), undefined);
    for (const own of ['place', 'session', 'view', 'look', 'office'] as const) {
      const other = ownPage.format({ deposit: 'pi_1', epoch: 0, scope: own, expiresAt: token.expiresAt });
      assert.equal(links.readExpired(other, scope), undefined);
      assert.equal(links.readExpired(other.replace(/^v1\.pi_/, 'w1.cus_'), scope), undefined);
    }
  }
});
