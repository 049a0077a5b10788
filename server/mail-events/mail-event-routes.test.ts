import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { sampleOffice } from '#scripts/product/environment.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { type SiteOptions, startRegistered } from '#server/testing/test-site.ts';
import { MAIL_EVENTS_PATH, signWebhook } from './mail-events.ts';

const NOW = new Date('2025-12-01T12:00:00-08:00');
const { email: address } = contactStep;

const EVENTS_SECRET = `whsec_${Buffer.from('a secret of a mail provider that is tested').toString('base64')}`;
const EARLIER_SECRET = `whsec_${Buffer.from('an earlier secret of that same provider').toString('base64')}`;

/** The environment of a site to which a mail provider sends events about letters. */
const eventsEnv = { MAIL_EVENTS_SECRET: `${EVENTS_SECRET}, ${EARLIER_SECRET}` };

interface Signed {
  secret?: string;
  /** When the request is sent, in milliseconds since the epoch. */
  at?: number;
  /** The body that arrives, if it is not the signed one. */
  arrives?: string;
  /** Other signatures in the header before this one. */
  before?: string;
  /** How the headers are called. */
  prefix?: 'webhook' | 'svix';
}

/** Sends events as the Standard Webhooks specification defines. */
function sendEvents(app: RequestListener, events: unknown, options: Signed = {}) {
  const { secret = EVENTS_SECRET, at = Date.now(), before = '', prefix = 'webhook' } = options;
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  return request(app)
    .post(MAIL_EVENTS_PATH)
    .type('json')
    .set({ [`${prefix}-id`]: id, [`${prefix}-timestamp`]: timestamp })
    .set(`${prefix}-signature`, `${before}${signWebhook(secret, { id, timestamp, body })}`)
    .send(options.arrives ?? body);
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
  const event = ({ to = [address], ...changes }: { to?: unknown; type?: string } = {}) => ({
    type: 'email.bounced',
    created_at: NOW.toISOString(),
    data: { to, email_id: 'of the provider' },
    ...changes,
  });
  const find = async (one = id) => (await findRegistration(payments, one)) ?? assert.fail();
  const counted = async (name: string, type?: string) => {
    const { values } = (await metrics.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.find(({ labels }) => type === undefined || labels.type === type)?.value;
  };
  return { ...site, event, find, counted };
}

describe('POST /webhooks/mail', () => {
  test('records a bounce, and shows it to the office at once; a repeated event changes nothing', async (t) => {
    const { app, event, find, shown, counted, log } = await start(t);
    await sendEvents(app, event()).expect(200, { received: true });
    const record = await find();
    assert.equal(isUnreachable(record), true);
    assert.deepEqual((await shown())?.bounced, record.bounced);
    await sendEvents(app, event()).expect(200);
    await sendEvents(app, event({ type: 'email.complained' })).expect(200);
    assert.deepEqual((await find()).bounced, record.bounced);
    assert.equal(await counted('mail_bounced_total', 'bounce'), 1);
    const lines = log.text();
    for (const personal of [address, 'Wilma', record.bounced?.to ?? ''])
      assert.ok(!lines.includes(personal), personal);
  });

  test('accepts one valid signature of several, made with any of the secrets, also in the headers of Svix', async (t) => {
    const { app, event } = await start(t);
    const before = `v1,${Buffer.alloc(32).toString('base64')} v2,abc `;
    await sendEvents(app, event(), { before }).expect(200);
    await sendEvents(app, event(), { secret: EARLIER_SECRET, prefix: 'svix' }).expect(200);
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
      sendEvents(app, event({ to: [] }), { arrives: JSON.stringify(event()) }),
      sendEvents(app, '{"type":"opened"}'),
      sendEvents(app, event({ to: 'no list' })),
      sendEvents(app, { ...event(), created_at: 'now' }),
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
    await sendEvents(app, event({ to: ['x'.repeat(1_100_000)] })).expect(413);
    await request(app).get(MAIL_EVENTS_PATH).expect(405).expect('Allow', 'POST');
    const { app: other } = await start(t, { env: {} });
    await sendEvents(other, event()).expect(404);
  });

  test('acknowledges events of other types, and about an address that the site does not know', async (t) => {
    const { app, event, find, counted } = await start(t);
    await sendEvents(app, event({ type: 'email.delivered' })).expect(200);
    await sendEvents(app, event({ to: ['nobody@example.org', 'wilma@before.example'] })).expect(200);
    assert.equal((await find()).bounced, undefined);
    assert.equal(await counted('mail_bounced_total', 'unknown'), 2);
  });

  test('what is marked as spam counts as not arriving; the address is found in whichever case it is written', async (t) => {
    const { app, event, find } = await start(t);
    await sendEvents(app, event({ type: 'email.complained', to: ['WILMA@example.org'] })).expect(200);
    assert.equal(isUnreachable(await find()), true);
  });

  test('answers an error while the register is away, so that the provider repeats the events, and records them then', async (t) => {
    const { app, event, find, databaseUrl } = await start(t);
    const events = event({ to: [address, 'nobody@example.org'] });
    const leave = await occupy(t, openTestDatabase(t, databaseUrl));
    await sendEvents(app, events).expect(503);
    assert.equal((await find()).bounced, undefined);
    await leave();
    await sendEvents(app, events).expect(200);
    assert.equal(isUnreachable(await find()), true);
  });

  test('logs and counts a letter to the office that came back, which belongs to no registration', async (t) => {
    const { app, event, find, counted, log } = await start(t);
    await sendEvents(app, event({ to: [sampleOffice.OFFICE_EMAIL.toUpperCase()] })).expect(200);
    assert.equal(await counted('mail_bounced_total', 'office'), 1);
    assert.match(log.text(), /A letter to the office came back/);
    assert.ok(!log.text().toLowerCase().includes(sampleOffice.OFFICE_EMAIL));
    assert.equal((await find()).bounced, undefined);
  });
});
