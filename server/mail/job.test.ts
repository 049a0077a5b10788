import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIL_KINDS, mailJobId, messageIdHeader, readMessageId } from './job.ts';

const FROM = 'The Retreat <office@retreat.example>';
const named = (jobId: string) => readMessageId(messageIdHeader(jobId, FROM), FROM);

test('a Message-ID names the letter and the registration of its job', () => {
  for (const kind of MAIL_KINDS) {
    if (kind === 'office-digest') continue;
    const letter = { kind, paymentIntentId: 'pi_3QAb' };
    assert.deepEqual(named(`${kind}-pi_3QAb-0123abcd`), letter);
    assert.deepEqual(named(`${kind}-pi_3QAb-2-0123abcd-again-1`), letter);
  }
  assert.deepEqual(named('place-offered-waiting_1a-0123abcd'), {
    kind: 'place-offered',
    waitingId: 'waiting_1a',
  });
  const digest = { kind: 'office-digest', edition: 'january-2026', day: '2026-01-20', items: [] } as const;
  assert.deepEqual(named(mailJobId({ ...digest, items: [] })), { kind: 'office-digest' });
  assert.deepEqual(readMessageId('welcome-pi_1-0123abcd@retreat.example', FROM), {
    kind: 'welcome',
    paymentIntentId: 'pi_1',
  });
});

test('a Message-ID that this site has not made names no letter', () => {
  for (const messageId of [
    '',
    '<>',
    '<welcome-pi_1-0123abcd@other.example>',
    '<welcome-pi_1-0123abcd@retreat.example@retreat.example>',
    '<welcome-pi_1@retreat.example>',
    '<welcomes-pi_1-0123abcd@retreat.example>',
    '<toString-pi_1-0123abcd@retreat.example>',
    '<welcome-pi_1-0123abcd\n@retreat.example>',
    `<welcome-pi_1-${'a'.repeat(400)}@retreat.example>`,
  ])
    assert.equal(readMessageId(messageId, FROM), undefined, messageId);
});
