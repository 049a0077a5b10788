import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { sampleOffice } from '#scripts/product/environment.ts';
import { messageIdHeader } from '#server/mail/job.ts';
import { isUnreachable } from '#server/record/bounces.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { type SiteOptions, startRegistered } from '#server/testing/test-site.ts';
import { MAIL_EVENTS_PATH, SENDGRID_PATH, sendgrid, signWebhook } from './mail-event-sources.ts';

const NOW = new Date('2025-12-01T12:00:00-08:00');
const at = NOW.toISOString();
const { email: address } = contactStep;

const EVENTS_SECRET = `whsec_${Buffer.from('a secret of a mail provider that is tested').toString('base64')}`;
const EARLIER_SECRET = `whsec_${Buffer.from('an earlier secret of that same provider').toString('base64')}`;

const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

/** The environment of a site to which mail providers send events about letters. */
const eventsEnv = {
  MAIL_EVENTS_SECRET: `${EVENTS_SECRET}, ${EARLIER_SECRET}`,
  MAIL_EVENTS_SENDGRID_KEY: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
};

interface Signed {
  secret?: string;
  /** When the request is sent, in milliseconds since the epoch. */
  at?: number;
  /** The body that arrives, if it is not the signed one. */
  arrives?: string;
  /** Other signatures in the header before this one. */
  before?: string;
}

/** Sends events as the Standard Webhooks specification defines. */
function sendEvents(app: RequestListener, events: unknown, options: Signed = {}) {
  const { secret = EVENTS_SECRET, at = Date.now(), before = '' } = options;
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  return request(app)
    .post(MAIL_EVENTS_PATH)
    .type('json')
    .set({ 'webhook-id': id, 'webhook-timestamp': timestamp })
    .set('webhook-signature', `${before}${signWebhook(secret, { id, timestamp, body })}`)
    .send(options.arrives ?? body);
}

/** The headers that SendGrid sends with a body. */
function signSendgrid(body: string, key = keys.privateKey): Record<string, string> {
  const timestamp = '1768953600';
  return {
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
    'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(timestamp + body), key).toString(
      'base64',
    ),
  };
}

/** Sends events as SendGrid does. */
function sendSendgridEvents(
  app: RequestListener,
  events: unknown,
  { arrives, key = keys.privateKey }: { arrives?: string; key?: typeof keys.privateKey } = {},
) {
  const body = JSON.stringify(events);
  return request(app)
    .post(SENDGRID_PATH)
    .type('json')
    .set(signSendgrid(body, key))
    .send(arrives ?? body);
}

/** A site with a paid registration, which gets events about letters from mail providers. */
async function start(t: TestContext, options: SiteOptions = {}) {
  const site = await startRegistered(t, {
    begins: NOW,
    env: eventsEnv,
    ...options,
  });
  const { id, payments, metrics } = site;
  await site.pay();
  const messageId = (kind: string, about = id) =>
    messageIdHeader(`${kind}-${about}-0123abcd`, sampleOffice.MAIL_FROM);
  const event = (changes: object = {}) => ({
    type: 'bounce',
    permanent: true,
    address,
    messageId: messageId('welcome'),
    at,
    ...changes,
  });
  const find = async (one = id) => (await payments.findRegistration(one)) ?? assert.fail();
  const counted = async (name: string, type?: string) => {
    const { values } = (await metrics.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.find(({ labels }) => type === undefined || labels.type === type)?.value;
  };
  return { ...site, messageId, event, find, counted };
}

describe('POST /webhooks/mail', () => {
  test('records a bounce, and shows it to the office at once; a repeated event changes nothing', async (t) => {
    const { app, event, find, shown, counted, log } = await start(t);
    await sendEvents(app, event()).expect(200, { received: true });
    const record = await find();
    assert.deepEqual([isUnreachable(record), record.bounced?.kind], [true, 'welcome']);
    assert.deepEqual((await shown())?.bounced, record.bounced);
    await sendEvents(app, event()).expect(200);
    await sendEvents(app, [event(), event({ messageId: undefined })]).expect(200);
    assert.deepEqual((await find()).bounced, record.bounced);
    assert.equal(await counted('mail_bounced_total', 'bounce'), 1);
    const lines = log.text();
    assert.match(lines, /"kind":"welcome","type":"bounce"/);
    for (const personal of [address, 'Wilma', record.bounced?.to ?? ''])
      assert.ok(!lines.includes(personal), personal);
  });

  test('accepts one valid signature of several, made with any of the secrets', async (t) => {
    const { app, event } = await start(t);
    const before = `v1,${Buffer.alloc(32).toString('base64')} v2,abc `;
    await sendEvents(app, event(), { before }).expect(200);
    await sendEvents(app, event(), { secret: EARLIER_SECRET }).expect(200);
  });

  test('refuses and counts events that are unsigned, changed, too old or too new; nothing is recorded', async (t) => {
    const { app, event, find, counted } = await start(t);
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const minutes = (count: number) => Date.now() + count * 60_000;
    const refused = [
      sendEvents(app, event(), { secret }),
      sendEvents(app, event(), { at: minutes(-6) }),
      sendEvents(app, event(), { at: minutes(6) }),
      sendEvents(app, event(), { at: Number.NaN }),
      sendEvents(app, event({ permanent: false }), { arrives: JSON.stringify(event()) }),
      sendEvents(app, '{"type":"opened"}'),
      sendEvents(app, 'no JSON'),
      request(app).post(MAIL_EVENTS_PATH).send(event()),
      request(app).post(MAIL_EVENTS_PATH),
      sendEvents(app, event()).type('text/plain'),
    ];
    for (const one of refused) await one.expect(400);
    assert.equal(await counted('mail_events_refused_total'), refused.length);
    assert.equal((await find()).bounced, undefined);
    await sendEvents(app, event(), { at: minutes(-4) }).expect(200);
  });

  test('limits the size, allows only POST, and answers 404 where it is not configured', async (t) => {
    const { app, event } = await start(t);
    await sendEvents(app, [event({ address: 'x'.repeat(1_100_000) })]).expect(413);
    await request(app).get(MAIL_EVENTS_PATH).expect(405).expect('Allow', 'POST');
    await request(app).get(SENDGRID_PATH).expect(405);
    const { app: other } = await start(t, { env: {} });
    await sendEvents(other, event()).expect(404);
    await sendSendgridEvents(other, []).expect(404);
  });

  test('acknowledges events about a letter or an address that the site does not know', async (t) => {
    const { app, event, messageId, find, counted } = await start(t);
    const unknown = [
      event({ messageId: messageId('welcome', 'pi_of_another_site'), address: 'nobody@example.org' }),
      event({ messageId: '<1234@mail.example>', address: 'nobody@example.org' }),
      // An address that is not hers, or no longer hers.
      event({ address: 'wilma@before.example' }),
    ];
    await sendEvents(app, unknown).expect(200);
    assert.equal((await find()).bounced, undefined);
    assert.equal(await counted('mail_bounced_total', 'unknown'), 3);
  });

  test('finds the registrant by her address where the letter is not known', async (t) => {
    const { app, event, find } = await start(t);
    await sendEvents(app, event({ messageId: '<1234@mail.example>', address: 'WILMA@example.org' })).expect(
      200,
    );
    assert.equal(isUnreachable(await find()), true);
  });

  test('answers an error while the register is away, so that the provider repeats the events, and records them then', async (t) => {
    const { app, event, find, databaseUrl } = await start(t);
    const events = [event(), event({ address: 'nobody@example.org', messageId: undefined })];
    const leave = await occupy(t, openTestDatabase(t, databaseUrl));
    await sendEvents(app, events).expect(503);
    assert.equal((await find()).bounced, undefined);
    await leave();
    await sendEvents(app, events).expect(200);
    assert.equal(isUnreachable(await find()), true);
  });

  test('logs and counts a bounced letter to the office, which belongs to no registration', async (t) => {
    const { app, event, messageId, find, counted, log } = await start(t);
    const toOffice = { address: sampleOffice.OFFICE_EMAIL };
    await sendEvents(app, event({ ...toOffice, messageId: messageId('office-paid') })).expect(200);
    await sendEvents(app, event({ ...toOffice, messageId: undefined })).expect(200);
    assert.equal(await counted('mail_bounced_total', 'office'), 2);
    assert.match(log.text(), /A letter to the office bounced/);
    assert.ok(!log.text().includes(sampleOffice.OFFICE_EMAIL));
    assert.equal((await find()).bounced, undefined);
  });
});

describe('POST /webhooks/mail/sendgrid', () => {
  const seconds = NOW.getTime() / 1000;
  const bounce = { type: 'bounce', permanent: true };
  const blocked = { type: 'bounce', permanent: false };
  const kinds = [
    [{ event: 'bounce', type: 'bounce', reason: '550 5.1.1' }, bounce],
    [{ event: 'bounce', type: 'blocked', reason: '550 spam' }, blocked],
    [{ event: 'dropped', reason: 'Bounced Address' }, bounce],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, bounce],
    [{ event: 'dropped', reason: 'Invalid' }, bounce],
    [{ event: 'dropped', reason: 'Recipient List over Package Quota' }, blocked],
    [{ event: 'spamreport' }, { type: 'complaint', permanent: false }],
    [{ event: 'deferred', response: '400 later' }],
    [{ event: 'delivered' }],
    [{ event: 'something-new' }],
  ] as const;

  test('distinguishes bounces, blocks, complaints and events to ignore', () => {
    const read = (body: string) => {
      const headers = signSendgrid(body);
      return sendgrid(eventsEnv.MAIL_EVENTS_SENDGRID_KEY).reader((name) => headers[name] ?? '')(
        Buffer.from(body),
      );
    };
    for (const [facts, ...types] of kinds) {
      const { events } = read(JSON.stringify([{ email: address, timestamp: seconds, ...facts }]));
      assert.deepEqual(
        events.map(({ type, permanent }) => ({ type, permanent })),
        types,
        JSON.stringify(facts),
      );
    }
  });

  for (const [facts, type] of [
    [{ event: 'bounce', type: 'blocked' }, 'blocked'],
    [{ event: 'spamreport' }, 'complaint'],
  ] as const)
    test(`counts what is ${type}, and goes on writing to her`, async (t) => {
      const { app, messageId, find, counted } = await start(t);
      const sent = { email: address, timestamp: seconds, 'smtp-id': messageId('welcome'), ...facts };
      await sendSendgridEvents(app, [sent]).expect(200);
      const record = await find();
      assert.deepEqual([isUnreachable(record), record.bounced?.kind], [false, 'welcome']);
      assert.equal(await counted('mail_bounced_total', type), 1);
    });

  test('handles each event of a request separately: an unreadable one does not stop the others', async (t) => {
    const { app, find, counted } = await start(t);
    const broken = { event: 'bounce', email: 5 };
    const bounce = { event: 'bounce', email: address, timestamp: seconds };
    await sendSendgridEvents(app, [broken, null, { event: 'open' }, bounce]).expect(200);
    assert.equal(isUnreachable(await find()), true);
    assert.equal(await counted('mail_events_refused_total'), 2);
  });

  test('refuses events that another key signed, that were changed, or that are no list', async (t) => {
    const { app, find, counted } = await start(t);
    const bounce = { event: 'bounce', email: address, timestamp: seconds };
    const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    await sendSendgridEvents(app, [bounce], { key }).expect(400);
    await sendSendgridEvents(app, [], { arrives: JSON.stringify([bounce]) }).expect(400);
    await sendSendgridEvents(app, bounce).expect(400);
    await request(app).post(SENDGRID_PATH).send([bounce]).expect(400);
    assert.equal(await counted('mail_events_refused_total'), 4);
    assert.equal((await find()).bounced, undefined);
  });
});
