import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { sampleMailEvents } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { MAIL_EVENTS_PATH, readMailEvents } from '#server/mail-events/mail-events.ts';
import { startBounces } from './stand-ins.ts';

/** A letter as maildev's API describes it. */
const letter = {
  id: 'a1',
  subject: 'Welcome <b>in</b>',
  to: [{ address: 'wilma@example.org', name: '' }],
};

test('each letter in the mailbox can be made to bounce: the site gets the event as from a mail provider', async (t) => {
  const received: unknown[] = [];
  const siteAndMailbox = createServer(async (req, res) => {
    if (req.url === MAIL_EVENTS_PATH) {
      const header = (name: string) => String(req.headers[name] ?? '');
      const read = readMailEvents([sampleMailEvents.MAIL_EVENTS_SECRET], header);
      received.push(...read(Buffer.from(await text(req))));
      res.end('{}');
    } else res.end(JSON.stringify([letter]));
  }).listen(0, '127.0.0.1');
  await once(siteAndMailbox, 'listening');
  t.after(() => siteAndMailbox.close());
  const address = siteAndMailbox.address();
  assert.ok(address && typeof address === 'object');
  const url = `http://127.0.0.1:${address.port}`;
  const at = new Date('2025-12-10T12:00:00Z');
  const bounces = await startBounces({
    port: await findFreePort(),
    mailboxUrl: url,
    siteUrl: url,
    now: () => at,
    secret: sampleMailEvents.MAIL_EVENTS_SECRET,
  });
  t.after(() => bounces.close());
  const shown = await (await fetch(bounces.url)).text();
  assert.match(shown, /Welcome &#60;b&#62;in/);
  const press = async (fields: Record<string, string>) => {
    const answer = await fetch(bounces.url, { method: 'POST', body: new URLSearchParams(fields) });
    return answer.text();
  };
  assert.match(await press({ letter: 'a1', type: 'bounce' }), /answered 200/);
  assert.match(await press({ letter: 'a1', type: 'complaint' }), /answered 200/);
  assert.match(await press({ letter: 'gone' }), /no longer in the mailbox/);
  const event = { address: 'wilma@example.org', at };
  assert.deepEqual(received, [event, event]);
});
