import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RegistrationMail } from '#server/mail/job.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import { intentDetailsOf } from '#server/payments/deposit.ts';
import { personColumns } from '#server/payments/registrations.ts';
import { alwaysHeld } from '#server/testing/test-charges.ts';
import { registration } from '#server/testing/test-database.ts';
import { recordSent } from '#server/testing/test-letters.ts';
import { UNWATCHED } from '#server/testing/test-mailing.ts';
import { startPost } from '#server/testing/test-post.ts';
import { contactStep } from '#server/testing/test-visitor.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { runDueWalk } from './walker.ts';

const { facts } = edition;

describe('the reads of a walk at Stripe', () => {
  test('of five hundred registrations are one per hundred payments, and none per registration', async (t) => {
    const now = () => new Date(facts.balance.noticeAt);
    const reads: string[] = [];
    const post = await startPost(t, {
      clock: { now: () => now().getTime() },
      log: (line) => {
        if (line.startsWith('GET ')) reads.push(line);
      },
    });
    const { stripe, connection: redis } = post;
    const card = { payment_method: 'pm_card_visa', confirm: true };
    const count = 500;
    const register = async (number: number) => {
      const id = `registration ${number}`;
      const details = intentDetailsOf({ contact: contactStep, facts }, id);
      const { id: deposit } = await stripe.paymentIntents.create({ ...details, currency: 'usd', ...card });
      const row = { ...registration(id), ...personColumns({ ...contactStep, timeZone: '' }), deposit };
      await post.database.write((transaction) =>
        transaction
          .insertInto('registrations')
          .values({ ...row, edition: facts.id })
          .execute(),
      );
    };
    for (let made = 0; made < count; made += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => register(made + index)));
    reads.length = 0;
    const { payments, letterLog } = post;
    const { bullQueue } = post.mailQueue;
    const { logger } = post.log;
    const startedAt = performance.now();
    const walk = () =>
      runDueWalk(true, bullQueue, {
        ...{
          redis,
          register: payments,
          letterLog,
          admission: post.admission,
          registrationList: post.registrationList,
          logger,
        },
        registration: 'auto',
        clock: { now },
        ...UNWATCHED,
      });
    await walk();
    t.diagnostic(`${reads.length} reads, ${Math.round(performance.now() - startedAt)} ms`);
    assert.ok(reads.length <= count / 100 + 20, `${reads.length} reads`);
    const ofCustomers = () => reads.filter((line) => line.startsWith('GET /v1/customers')).length;
    assert.equal(ofCustomers(), 0);
    // Of each registrant a welcome, the office's notice and, as nobody consented to a charge, a request to pay; and one
    // digest.
    assert.equal(await bullQueue.count(), 3 * count + 1);
    assert.equal((await post.registrationList.list(edition)).length, count);
  });

  test('three days of ten registrations take fewer than 1,000 reads, a tenth of what a month may', async (t) => {
    const start = Date.UTC(2025, 10, 1);
    const tickMs = 15 * 60 * 1000;
    let tick = 0;
    const now = (): Date => new Date(start + tick * tickMs);
    let reads = 0;
    const post = await startPost(t, {
      clock: { now: () => now().getTime() },
      log: (line) => {
        if (line.startsWith('GET ')) reads += 1;
      },
    });
    const { payments, letterLog } = post;
    const queue = post.mailQueue.bullQueue;
    const { connection: redis } = post;
    const dependencies = {
      redis,
      register: payments,
      letterLog,
      admission: post.admission,
      registrationList: post.registrationList,
      registration: 'auto',
      ...UNWATCHED,
      logger: post.log.logger,
      clock: { now },
    } as const;
    const send = async (mails: readonly RegistrationMail[]) => {
      for (const mail of mails) {
        const owed = {
          kind: mail.kind,
          subject: mail.paymentIntentId,
          version: mailVersion(mail),
          again: false,
        };
        const due = await payments.findDue(owed, now());
        if (due) await recordSent(letterLog, due, now());
      }
    };
    const ticks = 3 * 24 * 4;
    for (; tick < ticks; tick += 1) {
      if (tick % Math.floor(ticks / 10) === 0) {
        const contact = { ...contactStep, email: `wilma-${tick}@example.org` };
        const deposit = { contact, facts, timeZone: '', somebodyElse: false };
        const { id, letters } = await payments.createDeposit(
          deposit,
          { value: `registration-${tick}-0123` },
          alwaysHeld(post.database, now),
        );
        await send(letters);
        await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
        for (const kind of ['welcome', 'office-paid'] as const) {
          const mail = await payments.findMail(id, kind, now());
          assert.ok(mail);
          await send([mail]);
        }
      }
      await runDueWalk(false, queue, dependencies);
    }
    t.diagnostic(`${reads} reads`);
    assert.ok(reads > ticks && reads < 1_000, `${reads} reads`);
    assert.equal(await queue.count(), 0);
  });
});
