import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { launchCards } from './launch-cards.ts';

test('the launch list names the wallets’ domain, and how long the account’s name on statements may be', () => {
  const { statementSuffix: _, ...plain } = facts;
  const says = (suffix?: string) =>
    launchCards('https://retreat.example/', { ...plain, ...(suffix && { statementSuffix: suffix }) })
      .map((item) => item.says)
      .join('\n');
  assert.match(says(), /register retreat\.example, .*\nCard statements show the account’s name alone/);
  assert.match(says('HARBOR WEEK'), /“HARBOR WEEK”: set a shortened descriptor of 9 characters/);
  assert.match(says('RETREAT'), /descriptor of 10 characters/);
});
