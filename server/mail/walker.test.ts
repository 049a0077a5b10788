import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { ApiError } from '#scripts/sandbox/api-error.ts';
import { addAttentionMetrics, addWalkMetrics } from '#server/ops/mail-metrics.ts';
import { createPayments } from '#server/payments/payments.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { startMailServer } from '#server/testing/test-mail-server.ts';
import { testMails } from '#server/testing/test-mails.ts';
import { fill, makeRoom } from '#server/testing/test-redis.ts';
import { type SiteOptions, startTestSite } from '#server/testing/test-site.ts';
import { contactStep, submitContact } from '#server/testing/test-visitor.ts';
import { startTestWorker } from '#server/testing/test-worker.ts';
import { type RegistrationMode, registrationEnds } from '#shared/registration-window.ts';
import { retreatPackage } from '#shared/retreat-package.ts';
import type { MailJob } from './job.ts';
import type { DueRecord } from './walk.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from './walk-queue.ts';
import { runDueWalk, startWalker } from './walker.ts';

interface WalkerOptions {
  retryMs?: number;
  now?: () => Date;
  record?: DueRecord;
  registration?: RegistrationMode;
}

/** The site, and the worker's part of the product beside it. */
async function startPost(t: TestContext, options: SiteOptions = {}) {
  const site = await startTestSite(t, options);
  const mailServer = await startMailServer(t);
  const outbox = createPayments(site.config.stripe);
  const metrics = new Registry();
  const onWalked = addWalkMetrics(metrics);
  const startWorker = ({ retryMs, now, registration, record = outbox }: WalkerOptions = {}) => {
    const { worker, connection } = startTestWorker(t, {
      redis: site.redis,
      log: site.log,
      mailServer,
      outbox,
    });
    const walker = startWalker({
      redis: connection,
      record,
      registration: registration ?? site.config.registration,
      logger: site.log.logger,
      onWalked,
      ...(retryMs && { retryMs }),
      ...(now && { now }),
    });
    cleanUp(t, () => walker.close());
    return { worker, walker, connection };
  };
  return { ...site, metrics, mailServer, startWorker };
}

type Post = Awaited<ReturnType<typeof startPost>>;

async function register({ app, stripe }: Post) {
  await submitContact(app).expect(200);
  const { data } = await stripe.paymentIntents.list();
  assert.ok(data[0]);
  return data[0];
}

/** As support does. */
async function askForWalk({ redis }: Post): Promise<void> {
  const connection = new Redis(redis.url);
  const walks = new Queue(WALK_QUEUE_NAME, { connection });
  await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS);
  connection.disconnect();
}

async function untilReceived({ mailServer }: Post, count: number): Promise<string[]> {
  while (mailServer.mails.length < count) await mailServer.nextMail();
  return mailServer.mails.map(({ messageId = '' }) => messageId.split('-pi_')[0] ?? '').sort();
}

const LAST_WALK = 'walk_last_success_timestamp_seconds';

/** In seconds since the epoch; 0 before the first. */
async function lastWalk({ metrics }: Post): Promise<number> {
  const { values } = (await metrics.getSingleMetric(LAST_WALK)?.get()) ?? { values: [] };
  return values[0]?.value ?? Number.NaN;
}

const BEGUN_MARKS = ['mail-registration-received', 'mail-office-notice'];
const PAID_MARKS = ['mail-welcome', 'mail-office-paid'];

const RECORDED = 'Mail recorded as sent';

async function assertMarked({ stripe }: Post, intentId: string, names: readonly string[]): Promise<void> {
  const { metadata } = await stripe.paymentIntents.retrieve(intentId);
  for (const name of names) assert.match(metadata[name] ?? '', /^sent (?:[0-9a-f]{8}|office)$/, name);
}

describe('the walk through the registrations', () => {
  test('R5.1 mails of a registration while Redis was away go out once it is there, and are recorded', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await register(post);
    post.startWorker();
    await post.redis.start();
    assert.deepEqual(await untilReceived(post, 2), ['<office-notice', '<registration-received']);
    await post.log.until(RECORDED, 2);
    await assertMarked(post, id, BEGUN_MARKS);
    assert.equal(post.mailServer.mails.length, 2);
  });

  test('R5.1 a welcome whose webhook never came goes out all the same', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-paid', '<welcome']);
    await post.log.until(RECORDED, 2);
    await assertMarked(post, id, PAID_MARKS);
    assert.equal(post.mailServer.mails.length, 2);
  });

  test('R5.1 all of Redis lost: what was sent stays sent, what was not is sent', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await post.connection.flushall();
    await post.redis.stop();
    await post.redis.start();
    assert.equal((await untilReceived(post, 4)).at(-1), '<welcome');
    await post.log.until(RECORDED, 4);
    await assertMarked(post, id, [...BEGUN_MARKS, ...PAID_MARKS]);
    assert.equal(post.mailServer.mails.length, 4);
  });

  test('R5.1 a mail that was sent and not recorded is recorded, and not sent again', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    const { worker, walker } = post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    await worker.close();
    await walker.close();
    await post.stripe.paymentIntents.update(id, { metadata: { 'mail-office-notice': 'owed' } });
    post.startWorker();
    await post.log.until('"recorded":1');
    await assertMarked(post, id, BEGUN_MARKS);
    assert.equal(post.mailServer.mails.length, 2);
  });

  test('R5.1 nothing is owed by a closed payment, by another shop’s, or by one made by hand', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await register(post);
    await post.stripe.paymentIntents.cancel(id);
    const base = { amount: 72_100, currency: 'usd' };
    const { package: _, ...contact } = contactStep;
    await post.stripe.paymentIntents.create({ ...base, metadata: { ...contact, package: 'other' } });
    await post.stripe.paymentIntents.create({ ...base, metadata: contactStep });
    const due = [];
    for await (const one of createPayments(post.config.stripe).findAllDue(new Date(0), false)) due.push(one);
    assert.deepEqual(due, []);
  });

  test('R5.1 a corrected address owes its mail anew', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    await post.redis.stop();
    const corrected = { email: 'right@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    await post.redis.start();
    await untilReceived(post, 4);
    const addressees = post.mailServer.mails.flatMap(({ to }) => to?.map(({ address }) => address));
    assert.ok(addressees.includes('right@example.org'));
  });

  test('R5.1 Stripe away: the walk says so in the log and comes again', async (t) => {
    const post = await startPost(t);
    await post.sandbox.close();
    post.startWorker();
    await post.log.until('Registrations could not be looked through');
  });

  test('R5.1 Redis full: the walk says so in the log, and its last success grows old', async (t) => {
    const post = await startPost(t);
    assert.equal(await lastWalk(post), 0);
    post.startWorker();
    while ((await lastWalk(post)) === 0) await setImmediate();
    assert.ok(Math.abs(Date.now() / 1000 - (await lastWalk(post))) < 10);
    await fill(post.redis);
    await post.log.until('"msg":"Walker error"');
    assert.match(post.log.text(), /"level":"warn".*OOM command not allowed.*"msg":"Walker error"/);
  });

  test('R5.1 a worker that finds Redis full tries to schedule its walks until it can', async (t) => {
    const post = await startPost(t);
    await fill(post.redis);
    post.startWorker({ retryMs: 20 });
    await post.log.until('Walks could not be scheduled', 2);
    assert.equal(await lastWalk(post), 0);
    await makeRoom(post.redis);
    while ((await lastWalk(post)) === 0) await setImmediate();
  });
});

describe('letters are sent only while they are true', () => {
  test('R5.3 a registrant who has paid is not asked to pay, and the office is not told that she has not', async (t) => {
    const post = await startPost(t);
    const { id, client_secret } = await register(post);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-paid', '<welcome']);
    await post.log.until('it is not due any more', 2);
    const corrected = { email: 'Wilma@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    assert.equal(post.mailServer.mails.length, 2);
  });

  test('R5.3 a letter to an address that was corrected meanwhile goes to the new one only', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    const corrected = { email: 'right@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-notice', '<registration-received']);
    await post.log.until('it is not due any more');
    const addressees = post.mailServer.mails.map(({ to }) => to?.[0]?.address);
    assert.deepEqual(addressees.sort(), ['office@retreat.example', 'right@example.org']);
    assert.match(post.mailServer.mails.map(({ text }) => text).join('\n'), /right@example\.org/);
  });

  test('R5.3 an address that is corrected back gets the letter that was dropped', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    const edit = (email: string) =>
      submitContact(post.app, { email, paymentIntentClientSecret: client_secret }).expect(200);
    await edit('wrong@example.org');
    post.startWorker();
    await post.log.until('it is not due any more');
    await edit(contactStep.email);
    while (!post.mailServer.mails.some(({ to }) => to?.[0]?.address === contactStep.email)) {
      await post.mailServer.nextMail();
    }
  });

  test('R5.3 the office is told once when details change, and once when it is paid', async (t) => {
    const post = await startPost(t);
    const { id, client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    const changed = { phoneNumber: '+1 (555) 555-0199', paymentIntentClientSecret: client_secret };
    for (let time = 0; time < 2; time += 1) await submitContact(post.app, changed).expect(200);
    await untilReceived(post, 3);
    await post.log.until(RECORDED, 3);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await askForWalk(post);
    await untilReceived(post, 5);
    const toOffice = post.mailServer.mails.filter(({ to }) => to?.[0]?.address === 'office@retreat.example');
    const subjects = toOffice.map(({ subject = '' }) => subject.split(':')[0]);
    assert.deepEqual(subjects, ['New registration', 'Details changed', 'Deposit paid']);
    assert.match(toOffice[1]?.text ?? '', /555-0199/);
  });

  test('R5.3 the office’s last word about changed details is the last one, however they go back and forth', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    const phones = ['5550199', contactStep.phoneNumber, '5550199'];
    for (const [place, phoneNumber] of phones.entries()) {
      await submitContact(post.app, { phoneNumber, paymentIntentClientSecret: client_secret }).expect(200);
      await untilReceived(post, 3 + place);
      await post.log.until(RECORDED, 3 + place);
    }
    assert.match(post.mailServer.mails.at(-1)?.text ?? '', /5550199/);
  });
});

describe('when registration is over', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const after = (ms: number) => () => new Date(registrationEnds.getTime() + ms);

  test('what is still unpaid an hour later is emptied of its contact details and cancelled, and says why', async (t) => {
    const post = await startPost(t, { env: { REGISTRATION: 'auto' }, changes: { now: after(-HOUR_MS) } });
    const unpaid = await register(post);
    const { body } = await submitContact(post.app, { email: 'paid@example.org' }, 'b'.repeat(32)).expect(200);
    const paidId = body.paymentIntentClientSecret.split('_secret_')[0];
    await post.stripe.paymentIntents.confirm(paidId, { payment_method: 'pm_card_visa' });
    post.startWorker({ now: after(HOUR_MS), registration: 'auto' });
    await post.log.until('"closed":1');
    const { status, metadata, receipt_email } = await post.stripe.paymentIntents.retrieve(unpaid.id);
    assert.equal(status, 'canceled');
    for (const name of ['firstName', 'lastName', 'email', 'phoneNumber'])
      assert.equal(metadata[name], undefined);
    assert.equal(receipt_email, null);
    const { data } = await post.stripe.customers.list({ email: contactStep.email });
    assert.deepEqual(data, []);
    const paid = await post.stripe.paymentIntents.retrieve(paidId);
    assert.deepEqual([paid.status, paid.metadata.email], ['succeeded', 'paid@example.org']);
    await untilReceived(post, 2);

    const payments = createPayments(post.config.stripe);
    const deposit = { contact: contactStep, retreatPackage, timeZone: '', somebodyElse: false };
    await assert.rejects(
      payments.updateDeposit(deposit, unpaid.client_secret ?? '', async () => {}),
      { code: 'registration_closed', message: 'Registration for this retreat has closed' },
    );
  });

  for (const [what, registration, now] of [
    ['within the hour', 'auto', after(HOUR_MS - 1)],
    ['before the end, closed for a while', 'closed', after(-HOUR_MS)],
    ['where registration is kept open', 'open', after(HOUR_MS)],
  ] as const) {
    test(`${what} nothing is cancelled, and what is paid is welcomed`, async (t) => {
      const post = await startPost(t);
      const { id } = await register(post);
      post.startWorker({ now, registration });
      await untilReceived(post, 2);
      while ((await lastWalk(post)) === 0) await setImmediate();
      assert.equal((await post.stripe.paymentIntents.retrieve(id)).status, 'requires_payment_method');
      await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await askForWalk(post);
      assert.deepEqual((await untilReceived(post, 4)).slice(-2), ['<registration-received', '<welcome']);
    });
  }

  test('what is paid in the moment of its closing is welcomed, with the details that its customer has', async (t) => {
    let pay: (() => Promise<unknown>) | undefined;
    const post = await startPost(t, {
      intercept: async ({ path }) => {
        if (path.endsWith('/cancel')) await pay?.();
        return undefined;
      },
    });
    const { id } = await register(post);
    pay = () => post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    assert.equal(await createPayments(post.config.stripe).closeUnpaid(id), false);
    post.startWorker();
    await untilReceived(post, 2);
    const welcomed = post.mailServer.mails.find(({ subject }) => subject?.startsWith('Welcome'));
    assert.equal(welcomed?.to?.[0]?.address, contactStep.email);
    assert.match(welcomed?.text ?? '', /Dear Wilma/);
  });
});

describe('the walk at Stripe', () => {
  test('a page that fails is asked for again, and nothing of it is lost', async (t) => {
    let failures = 2;
    const post = await startPost(t, {
      redisRunning: false,
      intercept: ({ method, path }) => {
        if (method !== 'GET' || path !== '/v1/payment_intents' || failures === 0) return undefined;
        failures -= 1;
        return { kind: 'rate-limit' };
      },
    });
    const metadata = { ...contactStep, 'mail-registration-received': 'owed' };
    for (let count = 0; count < 101; count += 1) {
      await post.stripe.paymentIntents.create({ amount: 72_100, currency: 'usd', metadata });
    }
    let letters = 0;
    for await (const { type } of createPayments(post.config.stripe).findAllDue(new Date(0), false)) {
      if (type === 'letter') letters += 1;
    }
    assert.deepEqual([letters, failures], [101, 0]);
  });

  test('however often Redis comes back, one walk waits', async (t) => {
    const post = await startPost(t);
    const record: DueRecord = {
      async *findAllDue() {
        await new Promise(() => {});
        yield* [];
      },
      closeUnpaid: async () => false,
      markSent: async () => {},
    };
    const { connection } = post.startWorker({ record });
    for (let time = 0; time < 6; time += 1) {
      await post.redis.stop();
      const ready = once(connection, 'ready');
      await post.redis.start();
      await ready;
    }
    const observer = new Redis(post.redis.url);
    cleanUp(t, async () => observer.disconnect());
    const walks = new Queue(WALK_QUEUE_NAME, { connection: observer });
    while ((await walks.getJobSchedulersCount()) === 0) await setImmediate();
    const counts = await walks.getJobCounts('waiting', 'active', 'delayed');
    // The one of the clock, the next one of the clock, and the one that was asked for.
    assert.ok(
      Object.values(counts).every((count) => count <= 1),
      JSON.stringify(counts),
    );
  });

  test('a month of a hundred registrations takes fewer than 10,000 reads', async (t) => {
    const start = Date.UTC(2025, 10, 1);
    const tickMs = 15 * 60 * 1000;
    let tick = 0;
    const now = (): Date => new Date(start + tick * tickMs);
    let reads = 0;
    const post = await startPost(t, {
      now: () => now().getTime(),
      log: (line) => {
        if (line.startsWith('GET ')) reads += 1;
      },
    });
    const payments = createPayments(post.config.stripe);
    const queue = post.mailQueue.bullQueue;
    const { connection: redis } = post;
    const dependencies = {
      redis,
      record: payments,
      registration: 'auto',
      logger: post.log.logger,
      now,
    } as const;
    const send = async (mails: readonly MailJob[]) => {
      for (const mail of mails) {
        const due = await payments.findDue(mail);
        if (due) await payments.markSent(due);
      }
    };
    const ticks = 30 * 24 * 4;
    for (; tick < ticks; tick += 1) {
      if (tick % Math.floor(ticks / 100) === 0) {
        const contact = { ...contactStep, email: `wilma-${tick}@example.org` };
        const deposit = { contact, retreatPackage, timeZone: '', somebodyElse: false };
        const { id, letters } = await payments.createDeposit(deposit, { value: `registration-${tick}-0123` });
        await send(letters);
        await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
        for (const kind of ['welcome', 'office-paid'] as const) {
          const mail = await payments.findMail(id, kind);
          assert.ok(mail);
          await send([mail]);
        }
      }
      await runDueWalk(false, queue, dependencies);
    }
    t.diagnostic(`${reads} reads`);
    assert.ok(reads > ticks && reads < 10_000, `${reads} reads`);
    assert.equal(await queue.count(), 0);
  });

  test('what was sent more than thirty days ago is forgotten, as the privacy text says', async (t) => {
    const post = await startPost(t);
    await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    const { bullQueue } = post.mailQueue;
    const [old, young] = await bullQueue.getCompleted();
    assert.ok(old?.id && young?.id);
    const longAgo = Date.now() - 31 * 24 * 60 * 60 * 1000;
    await post.connection.zadd(bullQueue.toKey('completed'), longAgo, old.id);
    await askForWalk(post);
    while ((await bullQueue.getJobState(old.id)) !== 'unknown') await setImmediate();
    assert.equal(await bullQueue.getJobState(young.id), 'completed');
  });

  test('a payment that nobody can be welcomed for is told until somebody has looked', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    await post.stripe.paymentIntents.update(id, { amount: 100 });
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const { walker } = post.startWorker();
    addAttentionMetrics(post.metrics, walker);
    await post.log.until('"attention":1');
    while ((await lastWalk(post)) === 0) await setImmediate();
    assert.match(post.log.text(), new RegExp(`"level":"error".*${id}.*needs a person to look at it`));
    assert.match(await post.metrics.metrics(), /^payments_needing_attention 1$/m);

    await createPayments(post.config.stripe).markLookedAt(id);
    await askForWalk(post);
    while (!/^payments_needing_attention 0$/m.test(await post.metrics.metrics())) await setImmediate();
  });

  test('payments of an edition before need nobody once their registrants were welcomed', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const payments = createPayments(post.config.stripe);
    const pay = async (metadata: Record<string, string>) => {
      const intent = await post.stripe.paymentIntents.create({
        amount: 72_100,
        currency: 'usd',
        metadata: { ...contactStep, site: 'online-retreat', kind: 'deposit', amount: '72100', ...metadata },
      });
      return post.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    };
    const before = { edition: 'january-2025', package: 'january_2025_retreat' };
    await pay({ ...before, 'mail-welcome': 'sent 0a1b2c3d' });
    const orphan = await pay({ ...before, 'mail-welcome': 'owed once paid' });
    const now = await pay({ edition: 'january-2026', 'mail-welcome': 'owed once paid' });
    const due = [];
    for await (const one of payments.findAllDue(new Date(0), false)) due.push(one);
    assert.deepEqual(
      due.map((one) => [one.type, one.type === 'letter' ? one.letter.paymentIntentId : one.paymentIntentId]),
      [
        ['letter', now.id],
        ['attention', orphan.id],
      ],
    );
    await assert.rejects(
      payments.findDue({ ...testMails.welcome, paymentIntentId: orphan.id }),
      (error: Error) =>
        /is a payment of this site for .*january-2025.*unknown here/.test(String(error.cause)),
    );
  });

  test('what fails for one registration keeps nothing from the others', async (t) => {
    let frozen = '';
    const post = await startPost(t, {
      intercept: ({ method, path }) => {
        if (method !== 'POST' || path !== `/v1/payment_intents/${frozen}`) return undefined;
        throw new ApiError(400, { type: 'invalid_request_error', message: 'No' });
      },
    });
    const older = await register(post);
    const { body } = await submitContact(post.app, { email: 'newer@example.org' }, 'c'.repeat(32)).expect(
      200,
    );
    frozen = body.paymentIntentClientSecret.split('_secret_')[0];
    post.startWorker({
      now: () => new Date(registrationEnds.getTime() + 2 * 60 * 60 * 1000),
      registration: 'auto',
    });
    await post.log.until('What is due for a registration was not done');
    await post.log.until('"failed":1');
    assert.equal((await post.stripe.paymentIntents.retrieve(older.id)).status, 'canceled');
    assert.equal((await post.stripe.paymentIntents.retrieve(frozen)).status, 'requires_payment_method');
  });

  test('a failed mail of a payment that was cancelled can be dismissed', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await register(post);
    await post.stripe.paymentIntents.cancel(id);
    const payments = createPayments(post.config.stripe);
    await payments.markDismissed({ ...testMails.received, paymentIntentId: id });
    await payments.markDismissed({ ...testMails.received, paymentIntentId: 'pi_gone' });
  });
});
