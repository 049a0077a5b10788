import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailVersion, type RegistrationMail } from '#server/mail/job.ts';
import { intentDetailsOf } from '#server/payments/deposit.ts';
import { personColumns } from '#server/record/registrations.ts';
import { DAY_MS, recordSent, startCharges } from '#server/testing/test-charges.ts';
import { registration } from '#server/testing/test-database.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { facts } = edition;
const QUARTER_MS = 15 * 60 * 1000;

describe('what the worker reads at Stripe', () => {
  test('of five hundred registrations in a new register is one page per hundred payments, and nothing per registration', async (t) => {
    const reads: string[] = [];
    const charges = await startCharges(t, {
      startsAt: new Date(facts.balance.noticeAt),
      log: (line) => {
        if (line.startsWith('GET ')) reads.push(line);
      },
    });
    const { stripe, database } = charges;
    const { work, bullQueue, registrationList } = await mailingFor(t, charges);
    const card = { payment_method: 'pm_card_visa', confirm: true };
    const count = 500;
    const register = async (number: number) => {
      const id = `registration ${number}`;
      const contact = { ...contactStep, email: `wilma-${number}@example.org` };
      const details = intentDetailsOf({ contact, facts }, id);
      const { id: deposit } = await stripe.paymentIntents.create({ ...details, currency: 'usd', ...card });
      const row = { ...registration(id), ...personColumns({ ...contact, timeZone: '' }), deposit };
      const values = { ...row, edition: facts.id };
      await database.write((transaction) => transaction.insertInto('registrations').values(values).execute());
    };
    for (let made = 0; made < count; made += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => register(made + index)));
    reads.length = 0;
    await work();
    t.diagnostic(`${reads.length} reads`);
    assert.ok(reads.length <= count / 100 + 10, `${reads.length} reads`);
    // Of each registrant a welcome, the office's notice and, as nobody consented to a charge, a request to pay; and one
    // digest.
    assert.equal(await bullQueue.count(), 3 * count + 1);
    assert.equal((await registrationList.list(edition)).length, count);
  });

  test('in three days of ten registrations are fewer than 1,000 reads, a tenth of what a month may', async (t) => {
    let reads = 0;
    const charges = await startCharges(t, {
      startsAt: new Date(Date.UTC(2025, 10, 1)),
      log: (line) => {
        if (line.startsWith('GET ')) reads += 1;
      },
    });
    const { payments, letterLog, now, moveTo, begin, stripe } = charges;
    const { work, bullQueue } = await mailingFor(t, charges);
    const send = async (mails: readonly RegistrationMail[]) => {
      for (const mail of mails) {
        const owed = { kind: mail.kind, subject: mail.paymentIntentId, version: mailVersion(mail) };
        const due = await payments.findOwedLetter({ ...owed, again: false }, now());
        if (due) await recordSent(letterLog, due, now());
      }
    };
    const start = now().getTime();
    const quarters = 3 * (DAY_MS / QUARTER_MS);
    for (let quarter = 1; quarter <= quarters; quarter += 1) {
      moveTo(new Date(start + quarter * QUARTER_MS));
      if (quarter % Math.floor(quarters / 10) === 0) {
        const { id, letters } = await begin({ email: `wilma-${quarter}@example.org` });
        await send(letters);
        await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
        for (const kind of ['welcome', 'office-paid'] as const) {
          const mail = await payments.findMail(id, kind, now());
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
