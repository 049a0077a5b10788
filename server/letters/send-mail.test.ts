import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { UnrecoverableError } from 'bullmq';
import * as v from 'valibot';
import { findFreePort } from '#scripts/product/ports.ts';
import { cleanUp, type TestScope } from '#server/testing/clean-up.ts';
import { letter, letterContext } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { composeMessage } from './compose-message.ts';
import type { Mail } from './letter-kind.ts';
import { createMailTransport, EmailServiceError, emailService, sendMail } from './send-mail.ts';

const ids = { userId: 'user', serviceId: 'service', templateId: 'template' };
const requestBody = v.looseObject({ template_params: v.record(v.string(), v.string()) });
const status = (code: number, words = ''): Answer => {
  return (response) => response.writeHead(code).end(words);
};
const ok = status(200, 'OK');

const received = letter('registration-received');
/** A mail as the worker hands it over. */
const mail = {
  ...composeMessage(received, letterContext),
  from: 'The Retreat <office@retreat.example>',
  messageId: '<1@retreat.example>',
};

/** Sends a mail as the worker does. */
function send(url: string, letter: Mail = received) {
  const transport = createMailTransport({ kind: 'email-service', url, ...ids }, 5);
  const compose = (one: Mail) => composeMessage(one, letterContext);
  return sendMail({ id: letter.id, mail: letter }, { transport, from: mail.from, compose });
}

const assertTemporary = (sending: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(sending, (error) => {
    assert.ok(error instanceof EmailServiceError && !error.permanent);
    return message.test(error.message);
  });

describe('the e-mail service', () => {
  test('R5.2 gets a mail as JSON: version, the three ids, and the values for its template, attachments as data URLs among them', async (t) => {
    const { url, requests } = await startEmailService(t, ok);
    const attachments = [
      { filename: 'a.ics', content: 'BEGIN:ü', contentType: 'text/calendar; charset=utf-8' },
      { filename: 'b.txt', content: 'b', contentType: 'text/plain' },
    ];
    await emailService({ url: `${url}/`, ...ids }).sendMail({ ...mail, attachments });
    const [{ body, ...request } = assert.fail(), ...more] = requests;
    assert.deepEqual(more, []);
    assert.deepEqual(request, { method: 'POST', path: '/api/v1.0/email/send', type: 'application/json' });
    const { template_params, ...envelope } = v.parse(requestBody, body);
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const named = { user_id: 'user', service_id: 'service', template_id: 'template' };
    assert.deepEqual(envelope, { lib_version: version, ...named });
    const { message_html, ...values } = template_params;
    assert.match(message_html ?? '', /<html/);
    assert.deepEqual(values, {
      from_name: 'The Retreat',
      from_email: 'office@retreat.example',
      to_name: 'Wilma O’Hara',
      to_email: 'wilma@example.org',
      reply_to: 'office@retreat.example',
      subject: mail.subject,
      message: mail.text,
      message_id: mail.messageId,
      attachment_1: `data:text/calendar;charset=utf-8;base64,${Buffer.from('BEGIN:ü').toString('base64')}`,
      attachment_1_name: 'a.ics',
      attachment_2: 'data:text/plain;base64,Yg==',
      attachment_2_name: 'b.txt',
    });
  });

  test('R5.3 gets no encoded word for its headers, which it may write as they are', async (t) => {
    const { url, requests } = await startEmailService(t, ok);
    const evil = { ...wilma, firstName: '=?us-ascii?Q?evil=2Ecom?=', lastName: 'Hara' };
    for (const kind of ['welcome', 'office-paid'] as const) await send(url, letter(kind, undefined, evil));
    const heads = requests.map(({ body }) => v.parse(requestBody, body).template_params);
    assert.equal(heads[0]?.to_name, '= ?us-ascii?Q?evil=2Ecom?= Hara');
    assert.match(heads[1]?.subject ?? '', /^Paid: = \?us-ascii\?Q\?evil=2Ecom\?= Hara/);
    for (const { message: _, message_html: __, ...head } of heads)
      assert.doesNotMatch(JSON.stringify(head), /=\?[^?"]+\?[bq]\?/i);
  });

  test('R5.2 any 2xx is success, and so is the word OK whatever the status', async (t) => {
    for (const answer of [status(200), status(204), status(202, 'queued'), status(500, 'OK\n')]) {
      const { url, requests } = await startEmailService(t, answer);
      await assert.doesNotReject(send(url));
      assert.equal(requests.length, 1);
    }
  });

  test('R5.2 a slow or busy service, an error of its own, and a redirect are temporary: the mail is retried', async (t) => {
    for (const code of [408, 425, 429, 500, 503, 302]) {
      const { url, requests } = await startEmailService(t, (response) =>
        response.writeHead(code, { Location: '/elsewhere' }).end('Not now'),
      );
      await assertTemporary(send(url), new RegExp(`^The e-mail service answered ${code}: Not now$`));
      assert.equal(requests.length, 1);
    }
  });

  test('R5.2 any other refusal is permanent, also one that never ends, and the error keeps the service’s words', async (t) => {
    for (const code of [400, 403, 404, 413, 422]) {
      const { url } = await startEmailService(t, status(code, `${'x'.repeat(400)}${'y'.repeat(100_000)}`));
      await assert.rejects(send(url), (error) => {
        assert.ok(error instanceof UnrecoverableError && error.cause instanceof EmailServiceError);
        assert.equal(error.cause.responseCode, code);
        return new RegExp(`^The e-mail service answered ${code}: x{400}y{1,100}$`).test(error.message);
      });
    }
    const { url } = await startEmailService(t, (response) => response.writeHead(400).flushHeaders());
    const endless = emailService({ url, ...ids, timeoutMs: 300 }).sendMail(mail);
    await assert.rejects(endless, (error) => error instanceof EmailServiceError && error.permanent);
  });

  test('R5.2 a service that is unreachable, breaks the connection or hangs is a temporary failure, and so is cancelling', async (t) => {
    const broken = await startEmailService(t, (response) => response.destroy());
    for (const url of [broken.url, `http://127.0.0.1:${await findFreePort()}`])
      await assertTemporary(send(url), /^The e-mail service cannot be reached: ./);
    const { url } = await startEmailService(t, () => {});
    const hanging = emailService({ url, ...ids, timeoutMs: 50 }).sendMail(mail);
    await assertTemporary(hanging, /^The e-mail service cannot be reached: .*timeout/);
    const cancelled = new AbortController();
    const { url: other } = await startEmailService(t, () => cancelled.abort());
    const sending = emailService({ url: other, ...ids }).sendMail({ ...mail, signal: cancelled.signal });
    await assertTemporary(sending, /^The e-mail service cannot be reached: .*aborted/);
  });
});

/** How the service answers each request. */
type Answer = (response: ServerResponse) => void;

/** Starts a real HTTP service that keeps the requests it receives. */
async function startEmailService(t: TestScope, answer: Answer) {
  const requests: { method: string; path: string; type: string; body: unknown }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    requests.push({ method, path, type: headers['content-type'] ?? '', body });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The e-mail service has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}
