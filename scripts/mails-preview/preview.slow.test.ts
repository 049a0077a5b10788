import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import * as v from 'valibot';
import { findFreePort } from '#scripts/product/ports.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { everyLetter, readers } from '#server/testing/sample-letters.ts';

const mailsSchema = v.array(
  v.object({
    from: v.array(v.object({ name: v.string() })),
    headers: v.record(v.string(), v.unknown()),
    html: v.string(),
    text: v.string(),
    attachments: v.optional(v.array(v.object({ filename: v.string() })), []),
  }),
);

test('R5.3 the preview is a mailbox with every letter to every reader, as HTML and text, with headers and attachments', async (t) => {
  const port = String(await findFreePort());
  const env = { ...process.env, MAILS_PREVIEW_PORT: port };
  const preview = spawn(process.execPath, ['scripts/bootstrap.mjs', 'mails-preview'], { env });
  const ended = once(preview, 'exit');
  cleanUp(t, async () => preview.kill() && (await ended));
  for await (const line of createInterface({ input: preview.stdout })) if (/ letters: http/.test(line)) break;

  const mails = v.parse(mailsSchema, await (await fetch(`http://127.0.0.1:${port}/api/email`)).json());
  const expected = Object.values(readers).flatMap(({ label, person }) =>
    Object.keys(everyLetter(person)).map((name) => `${label}: ${name}`),
  );
  assert.deepEqual(mails.map(({ from }) => from[0]?.name).toReversed(), expected);
  for (const { html, text } of mails) assert.ok(html && text);
  const welcome = mails.find(({ from }) => from[0]?.name === 'In Berlin: welcome');
  assert.match(welcome?.text ?? '', /for you Fri, Jan 23, 2:30 am/);
  assert.equal(welcome?.headers['auto-submitted'], 'auto-generated');
  assert.ok(welcome?.attachments.some(({ filename }) => filename === 'the-doorway-retreat.ics'));
});
