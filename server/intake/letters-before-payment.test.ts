import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { isUnheard } from '#server/letters/registration-letters.ts';
import { WAITING_LETTERS } from '#server/office/words.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { findRegistration } from '#server/registration/registration.ts';
import { findOwn } from '#server/stripe/deposit.ts';
import { findAllDue, paymentIn } from '#server/testing/test-charges.ts';
import { type SiteOptions, startTestSite, submitContact, type TestSite } from '#server/testing/test-site.ts';
import { createLimiter, type LimitSettings } from '#server/web/limiter.ts';
import { createRegistrationLimits } from './registration-limits.ts';

/** Behind a proxy that tells the visitor’s address. */
async function startSite(t: TestContext, options: SiteOptions = {}) {
  const site = await startTestSite(t, { ...options, env: { TRUST_PROXY: '1', ...options.env } });
  const { app, stripe, tell, payments, now } = site;
  const submit = (email: string, address: string, paymentIntentClientSecret?: string) =>
    submitContact(app, { email, paymentIntentClientSecret }, randomBytes(16).toString('hex'))
      .set('X-Forwarded-For', address)
      .expect(200);
  /** The registration whose deposit a client secret opens. */
  const idOf = async (clientSecret: string) => (await findOwn(site, clientSecret)).row.id;
  return {
    ...site,
    submit,
    idOf,
    /** The letters that went on the queue to these addresses, and to the office. */
    async sentTo() {
      const queued = await site.lettersQueued();
      return queued.map(({ letter }) => `${letter.kind} ${letter.address}`).toSorted();
    },
    /** What the worker finds owed, in all. */
    due: async () =>
      (await findAllDue(site, now())).flatMap(({ letters }) => letters.map(({ kind }) => kind)),
    async pay(clientSecret: string) {
      const id = paymentIn(clientSecret);
      await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await tell('payment_intent.succeeded', await stripe.paymentIntents.retrieve(id)).expect(200);
    },
    /** What the office reads of her letters. */
    async factOf(id: string) {
      const record = (await findRegistration(payments, id)) ?? assert.fail();
      return isUnheard(record) ? WAITING_LETTERS : undefined;
    },
    confirmationMailOf: async (...given: Parameters<typeof submit>): Promise<string> =>
      (await submit(...given)).body.confirmationMail,
  };
}

const limitsOf = ({ connection, log }: TestSite, settings: LimitSettings) =>
  createRegistrationLimits(
    createLimiter({
      redis: connection,
      secrets: ['s'],
      settings,
      logger: log.logger,
      metrics: new Metrics(),
    }),
    '',
    new Metrics(),
  );

/** Takes a letter for each of many visitors, and returns how many were admitted. */
async function admitted(site: TestSite, addresses: readonly string[], overall = 1_000) {
  const limits = limitsOf(site, { perAddress: 1, overall });
  let count = 0;
  for (const [number, address] of addresses.entries())
    if (await limits.admitLetter({ address, email: `${number}@example.org` })) count += 1;
  return count;
}

describe('letters to people who have not paid', () => {
  test('R5.3 six registrations with her address never refuse hers: three letters a day go to it, and her welcome', async (t) => {
    const site = await startSite(t);
    const told: string[] = [];
    for (let other = 1; other <= 6; other += 1) {
      const email = other % 2 ? 'wilma@example.org' : 'Wilma@example.org';
      told.push(await site.confirmationMailOf(email, `192.0.2.${other}`));
    }
    assert.deepEqual(new Set(told), new Set(['queued']));
    const { body } = await site.submit('wilma@example.org', '198.51.100.1');
    assert.equal(body.confirmationMail, 'queued');
    const secret = String(body.paymentIntentClientSecret);
    const id = await site.idOf(secret);
    assert.match((await site.factOf(id)) ?? '', /^waits until she pays: too many messages were asked for/);
    assert.equal((await site.due()).length, 6, 'three letters to her, and three to the office');
    await site.pay(secret);
    assert.ok((await site.sentTo()).includes('welcome wilma@example.org'));
    const counted = await site.metrics.metrics();
    assert.match(counted, /^letters_waiting_total\{limit="letters-by-email"\} 4$/m);
  });

  test('have a bound for one visitor, one IPv6 network, and all together, each day', async (t) => {
    const site = await startTestSite(t);
    const same = Array.from({ length: 6 }, () => '192.0.2.1');
    const network = Array.from({ length: 30 }, (_, number) => `2001:db8:1:${number}00::`);
    const many = Array.from({ length: 50 }, (_, number) => `198.51.100.${number}`);
    assert.deepEqual([await admitted(site, same), await admitted(site, network)], [4, 16]);
    assert.equal(await admitted(site, many, 2), 2 * 20 - 20);
  });
});

test('joining the waiting list is refused to who had too many letters sent, and to nobody because of her address', async (t) => {
  const limits = limitsOf(await startTestSite(t), { perAddress: 1, overall: 1_000 });
  const hers = { email: 'wilma@example.org', proof: 'a'.repeat(32) };
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
    assert.equal(await limits.admitLetter({ ...hers, address }), true);
  for (const name of ['a', 'b', 'c', 'd']) await limits.admitLetter({ address: '192.0.2.4', email: name });
  const join = (address: string) => limits.admitNew({ ...hers, address }, 'joins');
  await assert.rejects(join('192.0.2.4'), /Please try again in 24 hours/);
  await join('192.0.2.5');
});
