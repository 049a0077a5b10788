import assert from 'node:assert/strict';
import { test } from 'node:test';
import { owedLetter } from '#server/letters/letter-kind.ts';
import { BEGUN, recordWith } from '#server/testing/test-registrations.ts';
import type { FoundLetter } from './commands/letters.ts';
import { timelineWithLetters } from './timeline.ts';

test('a letter in the timeline names its reader, and nobody once its address was removed', () => {
  const record = recordWith();
  const sentTo = (address: string): FoundLetter => {
    const owed = { ...owedLetter('welcome', record.id, address), again: false };
    const letter = { ...owed, kind: 'welcome', state: 'sent', owedAt: BEGUN, endedAt: BEGUN } as const;
    return { id: letter.id, letter, job: undefined, state: 'sent' };
  };
  const told = (address: string) =>
    timelineWithLetters({ record, announced: {}, now: BEGUN }, [sentTo(address)], []).map(({ what }) => what);
  assert.ok(told('wilma@example.org').includes('message “Welcome” to wilma@example.org was sent'));
  assert.ok(told('').includes('message “Welcome” was sent'));
});
