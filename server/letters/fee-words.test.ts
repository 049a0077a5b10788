import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everyLetter, letter } from '#scripts/world/letters.ts';
import { sellAt } from '#server/testing/test-editions.ts';
import { assertSaid, readings } from '#server/testing/test-letters.ts';

/** What only a card fee brings, also one of nothing. */
const ON_FEE = /card fee|processing fee|fee included|\b0%/i;

describe('R8 the letters of an edition without a card fee', () => {
  test('name none', (t) => {
    sellAt(t);
    for (const [name, job] of Object.entries(everyLetter()))
      for (const reading of readings(job)) assert.doesNotMatch(reading, ON_FEE, name);
    assertSaid(letter('welcome', 'who-agreed'), ['due on December 21, 2025: $700. You do not need']);
    assertSaid(letter('balance-notice'), ['to pay by check.', 'by the end of that day brings $700 back.']);
  });

  test('say what is less by check', (t) => {
    sellAt(t, { checkDiscountPerMille: 30 });
    for (const [name, job] of Object.entries(everyLetter()))
      for (const reading of readings(job)) assert.doesNotMatch(reading, ON_FEE, name);
    for (const [kind, variant, ...said] of [
      ['balance-notice', 'usual', 'to pay by check: that is $679, 3% less.'],
      ['please-pay', 'usual', '$679, 3% less', 'and by check it is 3% less.'],
      ['balance-failed', 'usual', 'there are payment plans, and by check it is 3% less.'],
      ['place-held', 'usual', '$674.15 (US dollars)', 'That is 3% less than by card.'],
      ['payment-plan', 'usual', '$250 by card, or $242.50 by check', '$700 by card, or $679 by check'],
      ['payment-received', 'usual', '$485 (US dollars)', '$500', 'by check it is 3% less'],
      ['cancel-undone', 'usual', 'The balance of $700 is left to pay.'],
    ] as const)
      assertSaid(letter(kind, variant), said);
  });
});
