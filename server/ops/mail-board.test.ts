import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { appRoutes } from '@bull-board/api/dist/routes.js';
import { Queue, Worker } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { letter } from '#scripts/world/letters.ts';
import { listen } from '#server/http/listen.ts';
import { type MailJob, mailJobId } from '#server/mail/job.ts';
import { queueLetters } from '#server/mail/queue.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { DUE_WORK_QUEUE_NAME } from '#server/register/due-work-queue.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { startPost } from '#server/testing/test-mailing.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { createAudit, noteSignedIn } from '#server/users/user.ts';
import { boardRoutes } from './board-routes.ts';
import type { Dismiss } from './mail-board.ts';

type Site = Pick<Awaited<ReturnType<typeof startTestSite>>, 'mailQueue' | 'log'>;

/** Who opens the board. */
const SUPPORT = { user: { name: 'anna', role: 'support' }, token: '' } as const;

/** The board of a site over HTTP, with requests as its own page sends them. */
async function openBoard(t: TestContext, { mailQueue, log }: Site, dismiss: Dismiss = async () => {}) {
  const app = express();
  app.use((_req, res, next) => {
    noteSignedIn(res, SUPPORT);
    next();
  });
  app.use(boardRoutes('/queues', { mailQueue, dismiss, audit: createAudit(log.logger) }));
  const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(t, close);
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/queues/api/queues${path}`, {
      method: method.toUpperCase(),
      headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
}

/** A site whose queue takes mails into each state without sending any. */
async function startWithMails(t: TestContext) {
  const site = await startTestSite(t);
  const { bullQueue } = site.mailQueue;
  const connection = new Redis(site.redis.url, { maxRetriesPerRequest: null });
  cleanUp(t, async () => connection.disconnect());
  const end = async (mail: MailJob, state: 'failed' | 'sent') => {
    const { id = '' } = await bullQueue.add(mail.kind, null, { jobId: mailJobId(mail), attempts: 1 });
    const worker = new Worker(bullQueue.name, undefined, queueOn(connection));
    const job = await worker.getNextJob('token');
    assert.equal(job?.id, id);
    if (state === 'failed') await job.moveToFailed(new Error('No such mailbox'), 'token', false);
    else await job.moveToCompleted(true, 'token', false);
    await worker.close();
    return id;
  };
  const wait = async (mail: MailJob, delay = 0) => {
    const job = await bullQueue.add(mail.kind, null, { jobId: mailJobId(mail), delay });
    return job.id ?? '';
  };
  return { site, bullQueue, redis: connection, end, wait };
}

/** All that Redis holds. */
async function holdings(redis: Redis): Promise<Record<string, string>> {
  const keys = (await redis.keys('*')).sort();
  const dumps = await Promise.all(
    keys.map(async (key) => [key, (await redis.dumpBuffer(key))?.toString('hex')]),
  );
  return Object.fromEntries(dumps);
}

const MINUTE_MS = 60_000;

/** What the board may change; every other change that it knows is refused. */
const ADMITTED = [
  'put /pause',
  'put /resume',
  'put /:queueName/pause',
  'put /:queueName/resume',
  'put /:queueName/retry/failed',
  'put /:queueName/promote',
  'put /:queueName/:jobId/retry of a failed mail',
  'put /:queueName/:jobId/clean of a failed mail',
  'put /:queueName/:jobId/promote',
];

/** Every change that the installed board offers, with one request for each state that a mail can be in. */
const changes = appRoutes.api.flatMap(({ method, route }) => {
  const paths = [route].flat().map((path) => path.replace('/api/queues', ''));
  const methods = [method].flat().filter((one) => one !== 'get');
  const states = ['completed', 'wait', 'prioritized', 'active', 'delayed', 'failed'];
  return methods.flatMap((verb) =>
    paths.flatMap((path) =>
      path.includes(':queueStatus')
        ? states.map((state) => ({ verb, path: path.replace(':queueStatus', state) }))
        : [{ verb, path }],
    ),
  );
});

/** Bodies that the routes would take. */
const BODY = {
  name: 'welcome',
  data: letter('welcome'),
  options: {},
  jobData: { ...letter('welcome'), email: 'eve@example.org' },
  runAt: Date.now() + 365 * 24 * 60 * MINUTE_MS,
  priority: 7,
  concurrency: 1,
  max: 1,
  duration: 365 * 24 * 60 * MINUTE_MS,
  force: true,
  every: 365 * 24 * 60 * MINUTE_MS,
};

describe('the queue’s page', () => {
  test('R5.4 resends no mail that was sent: neither one, nor all at once, nor one that support sent again', async (t) => {
    const post = await startPost(t);
    const ask = await openBoard(t, post);
    const { bullQueue } = post.mailQueue;
    const { id } = await post.register();
    post.startWorker();
    await post.untilSent(2);
    const { findMail } = post.payments;
    const again = (await findMail(id, 'registration-received', post.now())) ?? assert.fail();
    const copy = await post.letterLog.oweAgain(again, { name: '1' }, post.now());
    await queueLetters(bullQueue, [{ kind: again.kind, id: copy, again: true }]);
    await post.untilSent(3);

    const sent = (await bullQueue.getCompleted()).map((job) => job.id ?? '').sort();
    assert.equal(sent.length, 3);
    assert.equal((await ask('put', '/mail/retry/completed')).status, 403);
    for (const jobId of sent) {
      const { status, text } = await ask('put', `/mail/${jobId}/retry`);
      assert.equal(status, 403);
      assert.match(text, /could be lost or sent twice/);
    }
    assert.deepEqual((await bullQueue.getCompleted()).map((job) => job.id ?? '').sort(), sent);
    assert.equal(post.mailServer.parsed.length, 3);
  });

  test('R5.1 R5.4 no request to it loses a mail, sends one twice or stops the due work', async (t) => {
    const { site, bullQueue, redis, end, wait } = await startWithMails(t);
    const dismissed: string[] = [];
    const ask = await openBoard(t, site, async (mail) => void dismissed.push(mail));
    const dueWork = new Queue(DUE_WORK_QUEUE_NAME, queueOn(redis));
    await dueWork.upsertJobScheduler('each-minute', { every: MINUTE_MS });
    const failed = await end(letter('office-paid'), 'failed');
    const others = [
      await end(letter('welcome'), 'sent'),
      await wait(letter('registration-received')),
      await wait(letter('office-notice'), MINUTE_MS),
    ];
    await bullQueue.pause();
    const before = await holdings(redis);

    const refused = new Set<string>();
    for (const { verb, path } of changes) {
      const jobs = path.includes(':jobId') ? [...others, failed] : [''];
      for (const job of jobs) {
        const words = `${verb} ${path}${job === failed ? ' of a failed mail' : ''}`;
        if (ADMITTED.includes(words) || ADMITTED.includes(`${verb} ${path}`)) continue;
        for (const queue of ['mail', DUE_WORK_QUEUE_NAME]) {
          const target = path
            .replace(':queueName', queue)
            .replace(':jobId', job)
            .replace(':schedulerId', 'each-minute');
          const { status } = await ask(verb, target, BODY);
          const expected = queue === 'mail' ? [403] : [403, 404];
          assert.ok(expected.includes(status), `${verb} ${target}: ${status}`);
        }
        refused.add(words);
      }
    }
    assert.deepEqual(await holdings(redis), before);
    assert.deepEqual(dismissed, []);
    for (const words of [
      'put /:queueName/retry/completed',
      'put /:queueName/clean/failed',
      'put /:queueName/clean/completed',
      'put /:queueName/clean/delayed',
      'put /:queueName/empty',
      'put /:queueName/obliterate',
      'post /:queueName/add',
      'patch /:queueName/:jobId/update-data',
      'put /:queueName/:jobId/clean',
      'put /:queueName/job-schedulers/:schedulerId/remove',
    ]) {
      assert.ok(refused.has(words), words);
    }
  });

  test('R5.4 retries failed mails, one or all, and delayed ones at once', async (t) => {
    const { site, bullQueue, end, wait } = await startWithMails(t);
    const ask = await openBoard(t, site);
    const stateOf = (mail: MailJob) => bullQueue.getJobState(mailJobId(mail));
    await end(letter('welcome'), 'sent');
    const failed = await end(letter('registration-received'), 'failed');
    await end(letter('office-paid'), 'failed');
    const delayed = await wait(letter('office-notice'), MINUTE_MS);
    await wait(letter('balance-notice'), MINUTE_MS);

    assert.equal((await ask('put', `/mail/${failed}/retry`)).status, 204);
    assert.deepEqual(
      [await stateOf(letter('registration-received')), await stateOf(letter('office-paid'))],
      ['waiting', 'failed'],
    );
    assert.equal((await ask('put', '/mail/retry/failed')).status, 200);
    assert.equal(await stateOf(letter('office-paid')), 'waiting');
    assert.equal((await ask('put', `/mail/${delayed}/promote`)).status, 204);
    assert.deepEqual(
      [await stateOf(letter('office-notice')), await stateOf(letter('balance-notice'))],
      ['waiting', 'delayed'],
    );
    assert.equal((await ask('put', '/mail/promote')).status, 200);
    assert.equal(await stateOf(letter('balance-notice')), 'waiting');
    assert.equal(await stateOf(letter('welcome')), 'completed');
  });

  test('R5.4 pauses and resumes sending, keeps what waits meanwhile, and has no button that sends a sent mail again', async (t) => {
    const { site, bullQueue, wait } = await startWithMails(t);
    const ask = await openBoard(t, site);
    const { queues } = JSON.parse((await ask('get', '')).text);
    const [{ name, allowRetries, allowCompletedRetries }, ...others] = queues;
    assert.deepEqual([name, allowRetries, allowCompletedRetries, others], ['mail', true, false, []]);
    const id = await wait(letter('registration-received'));
    for (const path of ['', '/mail']) {
      assert.equal((await ask('put', `${path}/pause`)).status, 200);
      assert.equal(await bullQueue.isPaused(), true);
      assert.equal((await ask('put', `${path}/resume`)).status, 200);
      assert.equal(await bullQueue.isPaused(), false);
    }
    assert.equal(await bullQueue.getJobState(id), 'waiting');
  });

  test('R5.4 a failed mail that is removed on it is dismissed', async (t) => {
    const { site, bullQueue, end } = await startWithMails(t);
    const dismissed: string[] = [];
    const ask = await openBoard(t, site, async (mail) => void dismissed.push(mail));
    const id = await end(letter('registration-received'), 'failed');
    await end(letter('office-notice'), 'failed');
    assert.equal((await ask('put', `/mail/${id}/clean`)).status, 204);
    assert.deepEqual(dismissed, [id]);
    assert.equal(await bullQueue.getJobState(id), 'unknown');
    for (const path of ['/mail/nothing/clean', `/other/${mailJobId(letter('office-notice'))}/clean`]) {
      assert.equal((await ask('put', path)).status, 404);
    }
    assert.equal(dismissed.length, 1);
    assert.equal(await bullQueue.getFailedCount(), 1);
  });

  test('R5.4 every change on it, or attempt at one, is logged with the name of the user; what cannot be dismissed stays', async (t) => {
    const { site, bullQueue, end } = await startWithMails(t);
    const ask = await openBoard(t, site, () => Promise.reject(new Error('no answer')));
    const id = await end(letter('registration-received'), 'failed');
    await ask('get', '');
    await ask('put', '/mail/pause');
    const { status, text } = await ask('put', `/mail/${id}/clean`);
    assert.equal(status, 500);
    assert.match(text, /The mail is still here.*no answer/);
    assert.equal(await bullQueue.getJobState(id), 'failed');
    await ask('put', `/mail/${id}/retry`);
    await ask('put', '/mail/a%20name%40example.org/clean');
    await ask('put', '/mail/obliterate', BODY);
    await site.log.until('Act of a user', 5);
    const acts = site.log
      .lines('"audit":')
      .map(({ msg, user, role, audit, mail, outcome }) => [msg, user, role, audit, mail, outcome]);
    const by = ['Act of a user', 'anna', 'support'];
    assert.deepEqual(acts, [
      [...by, 'queue put /mail/pause', undefined, 'done'],
      [...by, 'queue put /mail/:jobId/clean', id, 'failed'],
      [...by, 'queue put /mail/:jobId/retry', id, 'done'],
      [...by, 'queue put /mail/:jobId/clean', undefined, 'refused'],
      [...by, 'queue put /mail/obliterate', undefined, 'refused'],
    ]);
    assert.doesNotMatch(site.log.text(), /example\.org/);
  });
});
