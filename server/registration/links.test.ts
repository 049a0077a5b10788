import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownPagePaths } from '#shared/own-page.ts';
import { confirmEndsAt, createLinks, linkDigest, type Scope } from './registration.ts';

const SITE = 'https://retreat.example';
const links = createLinks(['a-secret-of-at-least-32-characters-here', 'the-one-before'], SITE);
const to = 'new@example.org';
const at = new Date('2025-12-05T10:00:00.123Z');
const digest = linkDigest(to, at);
const untilAsked = new Date('2025-12-08T10:00:00.123Z');
const token = { subject: 'reg_1', epoch: 2, digest };
const tokenOf = (url: string) => new URL(url).pathname.slice(ownPagePaths.enter.length);

describe('the link that confirms an address', () => {
  const confirm = tokenOf(links.url('confirm', { ...token, expiresAt: confirmEndsAt({ at }) }));

  test('contains the registration and the request for three days, and no address', () => {
    assert.deepEqual(confirmEndsAt({ at }), untilAsked);
    const expiresAt = new Date('2025-12-08T10:00:00Z');
    assert.deepEqual(links.read(confirm, at, 'confirm'), { ...token, scope: 'confirm', expiresAt });
    assert.equal(links.read(confirm, untilAsked, 'confirm'), undefined);
    assert.doesNotMatch(decodeURIComponent(confirm), /new|example/);
  });

  test('differs for a later request, and for another address', () => {
    const later = linkDigest(to, new Date(at.getTime() + 1));
    assert.equal(new Set([digest, later, linkDigest('other@example.org', at), linkDigest(to)]).size, 4);
  });

  test('is invalid once anything in it is changed', () => {
    for (const forged of [
      confirm.replace(digest, linkDigest('other@example.org', at)),
      confirm.replace(`confirm-${digest}`, 'place'),
      confirm.replace('.2.', '.3.'),
      confirm.replace('reg_1', 'reg_2'),
    ]) {
      assert.notEqual(forged, confirm);
      assert.equal(links.read(forged, at, 'confirm', 'place'), undefined);
    }
  });
});

test('R5.3 a token opens only what its scope says, until it expires, also by the secret before', () => {
  const own: Scope[] = ['place', 'session', 'view', 'confirm', 'end', 'take', 'taker'];
  const scopes: Scope[] = [...own, 'wait', 'leave', 'offer'];
  const expiresAt = new Date('2025-12-07T12:00:00Z');
  for (const scope of scopes) {
    const subject = own.includes(scope) ? 'reg_1' : 'waiting_1';
    const text = links.format({ subject, scope, expiresAt });
    for (const other of scopes)
      assert.equal(links.read(text, at, other)?.subject, other === scope ? subject : undefined);
    assert.equal(links.read(text, expiresAt, scope), undefined);
    assert.equal(links.read(text.replace('_1', '_2'), at, scope), undefined);
    assert.equal(createLinks(['another'], SITE).read(text, at, scope), undefined);
    assert.ok(
      links.read(createLinks(['the-one-before'], SITE).format({ subject, scope, expiresAt }), at, scope),
    );
  }
});
