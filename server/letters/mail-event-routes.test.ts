import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { sampleOffice } from '#scripts/product/environment.ts';
import { findRegistration, isUnreachable } from '#server/registration/registration.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { type SiteOptions, startRegistered } from '#server/testing/test-site.ts';
import { MAIL_EVENTS_PATH, signWebhook } from './mail-events.ts';

const NOW = new Date('2025-12-01T12:00:00-08:00');
const { email: address } = contactStep;

const secretOf = (text: string): string => `whsec_${Buffer.from(text).toString('base64')}`;
const SECRET = secretOf('a secret of a mail provider that is tested');
const EARLIER = secretOf('an earlier secret of that same provider');

/** How a request differs from a provider's usual one. */
interface Sending {
  secret?: string;
  at?: number;
  /** The body that arrives, if it is not the signed one. */
  arrives?: string;
  /** Other signatures before this one. */
  before?: string;
  /** Of its headers. */
  prefix?: 'webhook' | 'svix';
}

/** Sends events as the Standard Webhooks specification defines. */
function sendEvents(
  app: RequestListener,
  events: unknown,
  { secret = SECRET, at = Date.now(), before = '', prefix = 'webhook', arrives }: Sending = {},
) {
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  const signature = before + signWebhook(secret, { id, timestamp, body });
  return request(app)
    .post(MAIL_EVENTS_PATH)
    .type('json')
    .set({ [`${prefix}-id`]: id, [`${prefix}-timestamp`]: timestamp, [`${prefix}-signature`]: signature })
    .send(arrives ?? body);
}

/** A site with a paid registration, which gets events about letters from mail providers. */
async function start(t: TestContext, options: SiteOptions = {}) {
  const env = { MAIL_EVENTS_SECRET: `${SECRET}, ${EARLIER}` };
  const site = await startRegistered(t, { begins: NOW, env, ...options });
  const { id, payments } = site;
  await site.pay();
  const event = ({ to = [address], ...changes }: { to?: unknown; type?: string } = {}) => ({
    type: 'email.bounced',
    created_at: NOW.toISOString(),
    data: { to, email_id: 'of the provider' },
    ...changes,
  });
  const find = async () => (await findRegistration(payments, id)) ?? assert.fail();
  return { ...site, event, find };
}

describe('POST /webhooks/mail', () => {
  test('records a bounce, and shows it to the office at once; an event that is repeated, also with one valid signature of several, made with any of the secrets, or in the headers of Svix, changes nothing', async (t) => {
    const { app, event, find, shown, metrics, log } = await start(t);
    await sendEvents(app, event()).expect(200, { received: true });
    const record = await find();
    assert.equal(isUnreachable(record), true);
    assert.deepEqual((await shown())?.bounced, record.bounced);
    const before = `v1,${Buffer.alloc(32).toString('base64')} v2,abc `;
    await sendEvents(app, event(), { before, at: Date.now() - 4 * 60_000 }).expect(200);
    const complained = event({ type: 'email.complained' });
    await sendEvents(app, complained, { secret: EARLIER, prefix: 'svix' }).expect(200);
    assert.deepEqual((await find()).bounced, record.bounced);
    assert.match(await metrics.metrics(), /^mail_bounced_total\{type="bounce"\} 1$/m);
    for (const personal of [address, 'Wilma', record.bounced?.to ?? ''])
      assert.ok(!log.text().includes(personal), personal);
  });

  test('refuses and counts events that are unsigned, changed, too old or too new; nothing is recorded', async (t) => {
    const { app, event, find, metrics } = await start(t);
    const refused = [
      sendEvents(app, event(), { secret: secretOf('a secret of somebody else') }),
      ...[-6, 6, Number.NaN].map((minutes) =>
        sendEvents(app, event(), { at: Date.now() + minutes * 60_000 }),
      ),
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
    assert.match(await metrics.metrics(), new RegExp(`^mail_events_refused_total ${refused.length}$`, 'm'));
    assert.equal((await find()).bounced, undefined);
  });

  test('limits the size, allows only POST, and answers 404 where it is not configured', async (t) => {
    const { app, event } = await start(t);
    await sendEvents(app, event({ to: ['x'.repeat(1_100_000)] })).expect(413);
    await request(app).get(MAIL_EVENTS_PATH).expect(405).expect('Allow', 'POST');
    const { app: other } = await start(t, { env: {} });
    await sendEvents(other, event()).expect(404);
  });

  test('acknowledges and counts what came back to the office or an unknown address, of which nothing is recorded, and other events', async (t) => {
    const { app, event, find, metrics, log } = await start(t);
    const office = sampleOffice.OFFICE_EMAIL;
    await sendEvents(app, event({ type: 'email.delivered' })).expect(200);
    const to = ['nobody@example.org', 'wilma@before.example', office.toUpperCase()];
    await sendEvents(app, event({ to })).expect(200);
    assert.match(await metrics.metrics(), /^mail_bounced_total\{type="unknown"\} 2$/m);
    assert.match(await metrics.metrics(), /^mail_bounced_total\{type="office"\} 1$/m);
    assert.match(log.text(), /A letter to the office came back/);
    assert.ok(!log.text().toLowerCase().includes(office));
    assert.equal((await find()).bounced, undefined);
  });

  test('answers an error while the register is away, so that the provider repeats the events, and records them then', async (t) => {
    const { app, event, find, databaseUrl } = await start(t);
    // Marked as spam counts as not arriving, in whichever case the address is written.
    const events = event({ type: 'email.complained', to: [address.toUpperCase(), 'nobody@example.org'] });
    const leave = await occupy(t, openTestDatabase(t, databaseUrl));
    await sendEvents(app, events).expect(503);
    assert.equal((await find()).bounced, undefined);
    await leave();
    await sendEvents(app, events).expect(200);
    assert.equal(isUnreachable(await find()), true);
  });
});
