import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { UnrecoverableError } from 'bullmq';
import * as v from 'valibot';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { readWorkerConfig } from '#server/config/config.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { cleanUp, type TestScope } from '#server/testing/clean-up.ts';
import { type MailJob, mailJobId } from './job.ts';
import { createMailTransport, EmailServiceError, emailService, sendMail } from './send-mail.ts';

const ids = { userId: 'user', serviceId: 'service', templateId: 'template' };
const requestBody = v.looseObject({ template_params: v.record(v.string(), v.string()) });
const ok: Answer = (response) => response.end('OK');
const status =
  (code: number, words = ''): Answer =>
  (response) =>
    response.writeHead(code).end(words);

/** A mail as the worker hands it over. */
const mail = {
  ...composeMessage(letter('registration-received'), letterContext),
  from: 'The Retreat <office@retreat.example>',
  messageId: '<1@retreat.example>',
};

/** Sends a mail as the worker does. */
function send(url: string, job: MailJob = letter('registration-received')) {
  const { mail, office, publicUrl } = readWorkerConfig({
    ...leastEnvironment,
    MAIL_TRANSPORT: 'email-service',
    EMAIL_SERVICE_URL: url,
    EMAIL_SERVICE_USER_ID: ids.userId,
    EMAIL_SERVICE_SERVICE_ID: ids.serviceId,
    EMAIL_SERVICE_TEMPLATE_ID: ids.templateId,
  });
  const transport = createMailTransport(mail.transport, 5);
  const context = { ...letterContext, office, siteUrl: publicUrl };
  return sendMail(
    { id: mailJobId(job), mail: job },
    { transport, from: mail.from, compose: (letter) => composeMessage(letter, context) },
  );
}

async function failureOf(sending: Promise<unknown>): Promise<unknown> {
  return sending.then(
    () => assert.fail('The mail was accepted'),
    (error) => error,
  );
}

describe('the e-mail service', () => {
  test('R5.2 gets a mail as JSON: version, the three ids, and the values for its template', async (t) => {
    const { url, requests } = await startEmailService(t, ok);
    await send(`${url}/`);
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const [request] = requests;
    assert.equal(requests.length, 1);
    assert.deepEqual(
      [request?.method, request?.path, request?.type],
      ['POST', '/api/v1.0/email/send', 'application/json'],
    );
    const { template_params, ...envelope } = v.parse(requestBody, request?.body);
    assert.deepEqual(envelope, {
      lib_version: version,
      user_id: 'user',
      service_id: 'service',
      template_id: 'template',
    });
    const { message, message_html, subject, to_name, ...addresses } = template_params;
    assert.match(to_name ?? '', /Wilma/);
    assert.notEqual(subject, '');
    assert.match(message ?? '', /Dear Wilma/);
    assert.match(message_html ?? '', /<html/);
    assert.equal(addresses.to_email, 'wilma@example.org');
    assert.equal(addresses.from_email, 'office@retreat.example');
    assert.equal(addresses.reply_to, 'office@retreat.example');
    assert.equal(addresses.message_id, `<${mailJobId(letter('registration-received'))}@retreat.example>`);
  });

  test('R5.3 gets no encoded word for its headers, which it may write as they are', async (t) => {
    const { url, requests } = await startEmailService(t, ok);
    for (const job of [letter('welcome'), letter('office-paid')])
      await send(url, { ...job, firstName: '=?us-ascii?Q?evil=2Ecom?=', lastName: 'Hara' });
    const heads = requests.map(({ body }) => v.parse(requestBody, body).template_params);
    assert.equal(heads[0]?.to_name, '= ?us-ascii?Q?evil=2Ecom?= Hara');
    assert.match(heads[1]?.subject ?? '', /^Paid: = \?us-ascii\?Q\?evil=2Ecom\?= Hara/);
    for (const { message: _, message_html: __, ...head } of heads)
      assert.doesNotMatch(JSON.stringify(head), /=\?[^?"]+\?[bq]\?/i);
  });

  test('R5.2 gets attachments as data URLs with their names', async (t) => {
    const { url, requests } = await startEmailService(t, ok);
    const attachments = [
      { filename: 'a.ics', content: 'BEGIN:ü', contentType: 'text/calendar; charset=utf-8' },
      { filename: 'b.txt', content: 'b', contentType: 'text/plain' },
    ];
    await emailService({ url, ...ids }).sendMail({ ...mail, attachments });
    const { template_params: params } = v.parse(requestBody, requests[0]?.body);
    assert.equal(params.attachment_1_name, 'a.ics');
    assert.equal(
      params.attachment_1,
      `data:text/calendar;charset=utf-8;base64,${Buffer.from('BEGIN:ü').toString('base64')}`,
    );
    assert.equal(params.attachment_2_name, 'b.txt');
    assert.equal(params.attachment_2, 'data:text/plain;base64,Yg==');
  });

  test('R5.2 any 2xx is success, and so is the word OK whatever the status', async (t) => {
    for (const answer of [status(200), status(204), status(202, 'queued'), status(500, 'OK\n')]) {
      const { url, requests } = await startEmailService(t, answer);
      await assert.doesNotReject(send(url));
      assert.equal(requests.length, 1);
    }
  });

  for (const code of [408, 425, 429, 500, 503, 302]) {
    test(`R5.2 the answer ${code} is temporary: the mail is retried`, async (t) => {
      const { url, requests } = await startEmailService(t, (response) =>
        response.writeHead(code, { Location: '/elsewhere' }).end('Not now'),
      );
      const error = await failureOf(send(url));
      assert.ok(error instanceof EmailServiceError);
      assert.equal(error.message, `The e-mail service answered ${code}: Not now`);
      assert.equal(requests.length, 1);
    });
  }

  for (const code of [400, 403, 404, 413, 422]) {
    test(`R5.2 the answer ${code} is permanent, and the error keeps the service’s words`, async (t) => {
      const { url } = await startEmailService(t, status(code, `${'x'.repeat(400)}${'y'.repeat(100_000)}`));
      const error = await failureOf(send(url));
      assert.ok(error instanceof UnrecoverableError);
      assert.match(error.message, new RegExp(`^The e-mail service answered ${code}: x{400}y{1,100}$`));
      assert.ok(error.cause instanceof EmailServiceError);
      assert.equal(error.cause.responseCode, code);
    });
  }

  test('R5.2 a service that is unreachable, or breaks the connection, is a temporary failure', async (t) => {
    const { url } = await startEmailService(t, (response) => response.destroy());
    for (const address of [url, `http://127.0.0.1:${await findFreePort()}`]) {
      const error = await failureOf(send(address));
      assert.ok(error instanceof EmailServiceError);
      assert.match(error.message, /^The e-mail service cannot be reached: ./);
      assert.equal(error.permanent, false);
    }
  });

  test('R5.2 a service that hangs is a temporary failure after the timeout', async (t) => {
    const { url } = await startEmailService(t, () => {});
    const transport = emailService({ url, ...ids, timeoutMs: 50 });
    const error = await failureOf(transport.sendMail(mail));
    assert.ok(error instanceof EmailServiceError);
    assert.equal(error.message, 'The e-mail service did not answer within 50 ms');
    assert.equal(error.permanent, false);
  });

  test('R5.2 sending that is cancelled ends the request, and may be tried again', async (t) => {
    const cancelling = new AbortController();
    const { url } = await startEmailService(t, () => cancelling.abort());
    const sending = emailService({ url, ...ids }).sendMail({ ...mail, signal: cancelling.signal });
    const error = await failureOf(sending);
    assert.ok(error instanceof EmailServiceError);
    assert.deepEqual([error.message, error.permanent], ['Sending was cancelled', false]);
  });

  test('R5.2 a refusal whose body never ends is still a refusal', async (t) => {
    const { url } = await startEmailService(t, (response) => response.writeHead(400).flushHeaders());
    const transport = emailService({ url, ...ids, timeoutMs: 300 });
    const error = await failureOf(transport.sendMail(mail));
    assert.ok(error instanceof EmailServiceError && error.permanent);
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
