import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressDigest, confirmEndsAt } from '#server/registration/registration.ts';
import { BEGUN, balance, type Changes, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { maskPhone, viewOf } from './own-page-view.ts';

const { facts, terms, timetable } = edition;
const DUE = new Date(facts.balance.chargeAt);
const OVER = new Date(facts.endsAt);
const BEFORE = new Date('2025-12-15T10:00:00-08:00');
const before = (moment: Date) => new Date(moment.getTime() - 1);

const act = { at: BEFORE, by: 'Anna' };
const agreement = { version: terms.version, digest: terms.digest, agreedAt: BEGUN };
const agreed = (changes: Changes = {}) => recordWith({ agreement, ...changes });
const view = (record = agreed(), now = BEFORE, beside: object = {}) =>
  viewOf(record, now, { mayAct: true, token: 'token', secondFactor: 'phone', letters: [], ...beside });

test('what the office noted is nowhere on her page', () => {
  const notes = [{ id: 'note', number: 1, ...act, text: 'Comes by train', isTakenBack: false } as const];
  assert.deepEqual(view(agreed({ notes })), view());
});

test('says that letters to her bounce, unless that was at another address or is over', () => {
  const bounced = { at: BEFORE, to: addressDigest('wilma@example.org') };
  assert.equal(view(agreed({ bounced })).unreachable, true);
  for (const change of [{ to: addressDigest('old@example.org') }, { over: BEFORE }])
    assert.equal(view(agreed({ bounced: { ...bounced, ...change } })).unreachable, false);
});

test('shows a part of the address that she asked for, for three days', () => {
  const addressAsked = { to: 'wanda@new.example', at: BEGUN };
  const askedAt = (now: Date) => view(agreed({ addressAsked }), now).askedAddress;
  assert.equal(askedAt(before(confirmEndsAt(addressAsked))), 'w…@new.example');
  assert.equal(askedAt(confirmEndsAt(addressAsked)), undefined);
});

test('links the permanent address of the terms that she agreed to', () => {
  assert.equal(view().termsPath, `/terms/${facts.id}-${terms.version}`);
  assert.equal(view(recordWith()).termsPath, undefined);
  assert.equal(view(agreed({ agreement: { ...agreement, version: 'unknown' } })).termsPath, undefined);
});

describe('the way into the room', () => {
  const url = 'https://video.example/room';
  const settled = agreed({ balances: [balance({ status: 'paid', paidAt: DUE })] });
  const roomAt = (now: Date, record = settled) =>
    view(record, now, { announced: { room: { ...act, url } } }).room;
  const { letters, testSession } = timetable;
  const [first] = letters.wayIn;

  test('to the retreat, if nothing is left to pay: from its first letter until the retreat is over', () => {
    const opens = new Date(first?.at ?? '');
    assert.equal(roomAt(before(opens)), undefined);
    assert.deepEqual(roomAt(opens), { openFor: 'retreat', url });
    assert.deepEqual(roomAt(before(OVER)), { openFor: 'retreat', url });
    assert.equal(roomAt(OVER), undefined);
    assert.equal(roomAt(opens, agreed()), undefined);
    assert.deepEqual(view(settled, opens).room, { openFor: 'retreat' }, 'its address is not known');
  });

  test('to the test session, for everybody with a place: from its letter until the session has ended', () => {
    const [opens, ends] = [new Date(letters.testSession), new Date(testSession.endsAt)];
    const cancel = { at: DUE, by: 'Anna', writtenAt: DUE };
    for (const record of [settled, agreed(), agreed({ disputed: true })]) {
      assert.equal(roomAt(before(opens), record), undefined);
      assert.deepEqual(roomAt(opens, record), { openFor: 'test-session', url });
      assert.deepEqual(roomAt(before(ends), record), { openFor: 'test-session', url });
      assert.equal(roomAt(ends, record), undefined);
    }
    assert.equal(roomAt(opens, agreed({ decisions: { cancel } })), undefined);
  });
});

test('a masked number shows no digit of its last seven, nor of its extension', () => {
  assert.equal(maskPhone('+1 (555) 555-0142'), '+1 (555) •••-••••');
  assert.equal(maskPhone('+971 4 555 0142 ext. 77'), '+971 4 ••• •••• ext. ••');
  assert.equal(maskPhone('555 0142 x1234'), '••• •••• x••••');
});
