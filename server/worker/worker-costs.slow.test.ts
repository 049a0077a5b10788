import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwedLetter } from '#server/letters/letter-kind.ts';
import { isLetterName } from '#server/letters/table.ts';
import { DAY_MS, recordSent, startCharges } from '#server/testing/test-charges.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { findMail, findOwedLetter } from './outbox.ts';

const QUARTER_MS = 15 * 60 * 1000;

describe('what the worker reads at Stripe', () => {
  test('in three days of ten registrations are fewer than 1,000 reads, a tenth of what a month may', async (t) => {
    let reads = 0;
    const charges = await startCharges(t, {
      startsAt: new Date(Date.UTC(2025, 10, 1)),
      log: (line) => {
        if (line.startsWith('GET ')) reads += 1;
      },
    });
    const { payments, letterLog, now, moveTo, begin, stripe, sync } = charges;
    const { work, bullQueue } = await mailingFor(t, charges);
    const send = async (letters: readonly OwedLetter[]) => {
      for (const { kind, ...letter } of letters) {
        assert.ok(isLetterName(kind));
        const due = await findOwedLetter(payments, { ...letter, kind, again: false }, now());
        if (due) await recordSent(letterLog, due, now());
      }
    };
    const start = now().getTime();
    const quarters = 3 * (DAY_MS / QUARTER_MS);
    for (let quarter = 1; quarter <= quarters; quarter += 1) {
      moveTo(new Date(start + quarter * QUARTER_MS));
      if (quarter % Math.floor(quarters / 10) === 0) {
        const { id, payment, letters } = await begin({ email: `wilma-${quarter}@example.org` });
        await send(letters);
        await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
        await sync(id);
        for (const kind of ['welcome', 'office-paid'] as const) {
          const mail = await findMail(payments, id, kind, now());
          assert.ok(mail);
          await send([mail]);
        }
      }
      await work();
    }
    t.diagnostic(`${reads} reads`);
    assert.ok(reads > quarters && reads < 1_000, `${reads} reads`);
    assert.equal(await bullQueue.count(), 0);
  });
});
