import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastEnvironment, sampleUserLines } from '#scripts/product/environment.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readAppConfig } from './config.ts';
import type { LaunchItem } from './launch-item.ts';
import { isOpen, judgeItems, launchItems, leftAtStart, strayConfirmations } from './launch-list.ts';

// The list as it is before anybody has confirmed anything, whatever the edition on sale says.
Object.assign(edition, { confirmed: undefined });

const SECRET = '3f9b0c5de7a2418896d1c4b7f05e2a98';
const user = (totp: boolean) =>
  `anna:office:scrypt.32768.8.3.${'a'.repeat(22)}.${'b'.repeat(43)}${totp ? `:${'A'.repeat(32)}` : ''}`;

/** Variables, in which process, and the state of an item there. */
const STATES: readonly (readonly [string, NodeJS.ProcessEnv, 'app' | 'worker', string])[] = [
  ['production', { NODE_ENV: 'production' }, 'worker', 'done'],
  ['production', { NODE_ENV: 'development' }, 'worker', 'left'],
  ['https', { PUBLIC_URL: 'https://retreat.test' }, 'worker', 'done'],
  ['https', { PUBLIC_URL: 'http://127.0.0.1:3000' }, 'worker', 'left'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_live_a1' }, 'worker', 'done'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_test_a1' }, 'worker', 'left'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_live_a1', PAYMENTS: 'sandbox' }, 'worker', 'left'],
  ['restricted-key', { STRIPE_SECRET_KEY: 'rk_live_a1' }, 'worker', 'done'],
  ['restricted-key', { STRIPE_SECRET_KEY: 'sk_live_a1' }, 'worker', 'undecided'],
  ['restricted-key', {}, 'worker', 'done'],
  ['office-fax', { OFFICE_FAX: '+1 415 555 2671' }, 'app', 'done'],
  ['office-fax', {}, 'app', 'undecided'],
  ['office-postal-address', {}, 'worker', 'left'],
  ['office-legal-name', { OFFICE_LEGAL_NAME: 'Retreats LLC' }, 'worker', 'done'],
  ['registration-window', { NODE_ENV: 'production' }, 'app', 'done'],
  ['registration-window', { REGISTRATION: 'closed' }, 'app', 'left'],
  ['registration-window', { NODE_ENV: 'production', REGISTRATION: 'open' }, 'app', 'left'],
  ['users', { OPS_USERS: sampleUserLines() }, 'app', 'done'],
  ['users', {}, 'app', 'left'],
  ['users', {}, 'worker', 'unseen'],
  ['users-codes', { OPS_USERS: user(true) }, 'app', 'done'],
  ['users-codes', { OPS_USERS: `${user(false)}` }, 'app', 'left'],
  ['link-secret', { LINK_SECRET: SECRET }, 'app', 'done'],
  ['link-secret', { LINK_SECRET: `${SECRET},${'abcd'.repeat(8)}` }, 'app', 'left'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite', BACKUP_DIR: '/backup' }, 'worker', 'done'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite' }, 'worker', 'undecided'],
  ['copies', { DATABASE_URL: 'postgresql://db/register' }, 'worker', 'undecided'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite' }, 'app', 'unseen'],
  ['video-room', { VIDEO_ROOM_URL: 'https://room.test' }, 'app', 'done'],
  ['video-room', {}, 'app', 'undecided'],
  ['mail-events', { MAIL_EVENTS_SECRET: 'whsec_a' }, 'app', 'done'],
  ['mail-events', {}, 'worker', 'unseen'],
  ['terms', {}, 'worker', 'undecided'],
  ['sample-author', {}, 'worker', 'left'],
];

const states = (env: NodeJS.ProcessEnv, process: 'app' | 'worker', confirmed = {}) =>
  new Map(judgeItems(launchItems(env, process), confirmed).map((item) => [item.id, item.state]));

describe('the list of what is left before launch', () => {
  for (const [id, env, process, state] of STATES)
    test(`${id} is ${state} in the ${process} with ${JSON.stringify(env)}`, () => {
      assert.equal(states(env, process).get(id), state);
    });

  test('who sells is named, or the site does not start', () => {
    const items = launchItems({}, 'worker').filter(({ id }) => /^office-(?:postal|legal)/.test(id));
    assert.equal(items.length, 2);
    for (const { says } of items)
      assert.match(says, /^OFFICE_\w+ is missing: .*the site does not start without\.$/);
  });

  test('samples are on it whatever the key', () => {
    for (const key of ['sk_test_a1', 'rk_live_a1'])
      assert.equal(
        states({ ...leastEnvironment, STRIPE_SECRET_KEY: key }, 'app').get('made-up-mail-from'),
        'left',
      );
  });

  test('each item has an id of its own, by which an edition can confirm it', () => {
    const items = launchItems(leastEnvironment, 'worker');
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    // An edition can confirm only what is spelled like this: `itemId` in scripts/content/schemas.ts.
    for (const { id } of items) assert.match(id, /^[a-z][a-z0-9-]*$/);
  });

  test('a person confirms what is hers to decide or to look at, and no fact', () => {
    const by = { by: 'Anna', on: '2027-03-01' };
    const confirmed = { terms: by, users: by, https: by, 'sample-author': by };
    const found = states({ PUBLIC_URL: 'http://127.0.0.1' }, 'worker', confirmed);
    assert.deepEqual(
      Object.keys(confirmed).map((id) => found.get(id)),
      ['confirmed', 'confirmed', 'left', 'left'],
    );
    assert.equal(states({}, 'app', confirmed).get('users'), 'left');
  });

  test('an app logs at its start what is left that it can see, once real cards are charged', () => {
    const config = readAppConfig(leastEnvironment);
    assert.equal(leftAtStart(config), undefined);
    const logged = leftAtStart({ ...config, isLive: true }) ?? [];
    assert.ok(logged.some(({ id, says }) => id === 'terms' && says.startsWith('A lawyer reads')));
    const names = logged.map(({ id }) => id);
    assert.deepEqual([names.includes('users'), names.includes('copies')], [true, false]);
    assert.equal(leftAtStart({ isLive: true, launch: [] }), undefined);
  });

  test('a confirmation of nothing on the list is on it itself', () => {
    const items: LaunchItem[] = [{ id: 'terms', decides: 'lawyer', says: 'Read.' }];
    const by = { by: 'Anna', on: '2027-03-01' };
    assert.deepEqual(strayConfirmations(items, { terms: by }), []);
    const [stray] = judgeItems(strayConfirmations(items, { terms: by, term: by }));
    assert.match(stray?.says ?? '', /names nothing of this list: term\.$/);
    assert.ok(stray && isOpen(stray));
  });
});
