import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Database } from '#server/database/database.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { createLetterLog } from '#server/letters/letter-log.ts';
import { createSmtpTransport, sendMail } from '#server/letters/send-mail.ts';
import { lettersAtOnce } from '#server/letters/table.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { nextInstallment, readRegistration } from '#server/registration/registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { addWebhookRoute, WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { letterContext } from '#server/testing/sample-letters.ts';
import { daysAfter, startCharged, startCharges, startDue, stripeBy } from '#server/testing/test-charges.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { type Stage, withRedis } from '#server/testing/test-stage.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { createOutbox } from './outbox.ts';

const { balanceCents, balanceBeforeFeeCents } = edition.facts.prices;

/** At which of its steps a process is killed: before the step, or after it, when what it answers is lost. */
interface Death {
  step: number;
  isDone: boolean;
}

/**
 * A process whose steps are counted: requests to Stripe, commits, and what the test has it do by `step`. Killed at one, it
 * does nothing more.
 */
function mortal({ sandbox, database }: Pick<Stage, 'sandbox' | 'database'>, death?: Death) {
  const steps: string[] = [];
  const killed = new Error('The process was killed');
  let isDead = false;
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    if (isDead) throw killed;
    steps.push(name);
    isDead = steps.length === death?.step;
    if (isDead && !death?.isDone) throw killed;
    const result = await work();
    if (isDead) throw killed;
    return result;
  };
  const dying: Database = {
    ...database,
    write: (work) => step('commit', () => database.write(work)),
    read: async (work) => (isDead ? Promise.reject(killed) : database.read(work)),
  };
  const ask: typeof fetch = (url, request) =>
    step(`${request?.method} ${operationOf(String(url))}`, () => fetch(url, request));
  return { stripe: stripeBy(ask, sandbox), database: dying, letterLog: createLetterLog(dying), steps, step };
}

type Mortal = ReturnType<typeof mortal>;

/** Without ids: `payment_intents/confirm`. */
function operationOf(url: string): string {
  const [resource = '', ...rest] = new URL(url).pathname.split('/').slice(2);
  return [resource, ...rest.slice(1)].join('/');
}

/** What a process does in one go, and what is true once another one has done it after a death. */
interface Life {
  stage: Pick<Stage, 'sandbox' | 'database'>;
  live: (process: Mortal) => Promise<unknown>;
  /** Time goes on until Stripe has forgotten its idempotency keys. */
  untilForgotten?: () => void;
  /** @param done how many steps the first process had taken when it was killed, if it was */
  check: (done?: number) => Promise<void>;
}

async function aPaidDeposit(t: TestContext): Promise<Life> {
  const stage = await withRedis(t, await startCharges(t));
  const { stripe, now, mailQueue, log, payments, database } = stage;
  const { id, payment } = await stage.begin();
  const paid = await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
  const created = Math.floor(now().getTime() / 1000);
  const event = { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', created };
  const payload = JSON.stringify({ ...event, data: { object: paid } });
  const secret = SANDBOX_KEYS.webhookSecret;
  return {
    stage,
    async live(process) {
      const app = express();
      addWebhookRoute(app, {
        payments: {
          ...payments,
          database: process.database,
          ask: (operation, ...given) => operation(process, ...given),
        },
        secret,
        mailQueue: {
          ...mailQueue,
          async add(...letters) {
            await process.letterLog.owe(letters, now());
            await process.step('queue', () => mailQueue.queue(...letters));
          },
        },
        limits: { async giveBack() {} },
        metrics: new Metrics(),
        askForDueWork: async () => {},
        logger: log.logger,
      });
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
      const post = request(app).post(WEBHOOK_PATH).type('json').set('Stripe-Signature', signature);
      app.use(((_error, _req, res, _next) => void res.sendStatus(503)) satisfies ErrorRequestHandler);
      const { status } = await post.send(payload);
      if (status !== 200) throw new Error(`Stripe sends it again after ${status}`);
    },
    async check() {
      const record = await database.read((transaction) => readRegistration(transaction, id));
      assert.deepEqual([record?.deposit, record?.ledger.entries.length], ['paid', 1]);
      const queued = (await mailQueue.bullQueue.getJobs()).map(({ name }) => name);
      assert.deepEqual(queued.toSorted(), ['office-paid', 'welcome']);
    },
  };
}

const aCharge =
  (declined?: string) =>
  async (t: TestContext): Promise<Life> => {
    const stage = await startDue(t);
    const { id, now, moveTo, charged, find, sandbox } = stage;
    if (declined) sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', declined);
    return {
      stage,
      live: (process) => chargeBalance(process, id, now()),
      // By then a declined card is due again.
      ...(!declined && { untilForgotten: () => moveTo(daysAfter(now(), 1.2)) }),
      async check() {
        const { tries, decline } = nextInstallment(await find(id));
        assert.deepEqual([await charged(id), tries], [[declined ? -balanceCents : balanceCents], 1]);
        assert.equal(decline?.code, declined);
      },
    };
  };

const aRefund =
  (exception?: number) =>
  async (t: TestContext): Promise<Life> => {
    const stage = await startCharged(t);
    const { id, now, refunds, state, cancel, except, afterHours } = stage;
    await (exception ? except(exception) : cancel());
    return {
      stage,
      live: (process) => makeDueRefunds(process, id, now()),
      untilForgotten: () => afterHours(30),
      async check() {
        const ofBoth = [
          ['balance', balanceCents],
          ['deposit', (exception ?? 0) - balanceCents],
        ];
        const made = exception ? ofBoth : [['balance', balanceBeforeFeeCents]];
        assert.deepEqual([await refunds(), await state()], [made, exception ? 'settled' : 'refunded']);
      },
    };
  };

const OF_LETTER: readonly string[] = ['commit', 'queue', 'commit', 'SMTP', 'commit'];

async function aLetter(t: TestContext): Promise<Life> {
  const stage = await withRedis(t, await startCharges(t));
  const { now, mailQueue, admission, findDigest } = stage;
  const subject = await stage.register();
  const mailServer = await startMailServer(t);
  const transport = createSmtpTransport(mailServer.url);
  cleanUp(t, async () => transport.close());
  const [letter] = lettersAtOnce(await stage.find(subject));
  assert.ok(letter);
  const { id } = letter;
  return {
    stage,
    async live({ letterLog, database, step }) {
      await letterLog.owe([letter], now());
      await step('queue', () => mailQueue.queue(letter));
      const outbox = createOutbox({ ...admission, database, letterLog, now, findDigest });
      const due = await outbox.findDue(id);
      if (typeof due !== 'object') return;
      const sender = {
        from: 'office@retreat.example',
        compose: (mail: typeof due) => composeMessage(mail, letterContext),
        transport: { ...transport, sendMail: (mail: object) => step('SMTP', () => transport.sendMail(mail)) },
      };
      await sendMail({ id, mail: due }, sender);
      await outbox.markSent(due, now(), id);
    },
    async check(done) {
      // Killed between the mail server's answer and the commit, nobody knows that it was sent.
      const times = done === OF_LETTER.indexOf('SMTP') + 1 ? 2 : 1;
      assert.deepEqual(
        mailServer.mails.map(({ messageId }) => messageId),
        Array(times).fill(`<${id}@retreat.example>`),
      );
      assert.equal((await mailQueue.bullQueue.getJobs()).length, 1);
    },
  };
}

const OF_CHARGE = [
  'commit',
  'POST payment_intents',
  'commit',
  'commit',
  'POST payment_intents/confirm',
  'GET payment_intents',
  'commit',
  'commit',
];
const READS = ['GET payment_intents', 'GET payment_intents'];
const OF_PAYOUT = ['commit', 'GET refunds', 'POST refunds', 'GET payment_intents', 'commit'];

/** With the steps at which it may be killed, in their order. */
const LIVES: Readonly<Record<string, [(t: TestContext) => Promise<Life>, readonly string[]]>> = {
  'a deposit that is paid': [aPaidDeposit, ['GET payment_intents', 'commit', 'commit', 'queue', 'commit']],
  'a charge': [aCharge(), OF_CHARGE],
  'a charge that is declined': [aCharge('insufficient_funds'), OF_CHARGE.slice(0, -1)],
  'a refund': [aRefund(), [...READS, 'commit', ...OF_PAYOUT]],
  'a refund of both payments': [aRefund(balanceCents + 27_375), [...READS, ...OF_PAYOUT, ...OF_PAYOUT]],
  'a letter': [aLetter, OF_LETTER],
};

for (const [what, [begin, steps]] of Object.entries(LIVES))
  describe(`${what}, whose process is killed, is gone through once by the next one:`, () => {
    test(`its steps are ${steps.join(', ')}`, async (t) => {
      const { stage, live, check } = await begin(t);
      const process = mortal(stage);
      await live(process);
      await check();
      assert.deepEqual(process.steps, steps);
    });

    for (const [index, name] of steps.entries())
      for (const isDone of [false, true])
        test(`${isDone ? 'after' : 'before'} step ${index + 1}, ${name}`, async (t) => {
          for (const isForgotten of [false, true]) {
            const { stage, live, check, untilForgotten } = await begin(t);
            if (isForgotten && !untilForgotten) continue;
            await assert.rejects(live(mortal(stage, { step: index + 1, isDone })));
            if (isForgotten) untilForgotten?.();
            await live(mortal(stage));
            await check(isDone ? index + 1 : index);
          }
        });
  });
