import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { letter } from '#scripts/world/letters.ts';
import { showPlaces } from '#server/acts/waiting-acts.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { mailJobId } from '#server/mail/job.ts';
import { createAdmission } from '#server/register/waiting-list.ts';
import { startCharges } from '#server/testing/test-charges.ts';
import { registration, testDatabase } from '#server/testing/test-database.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { failToSend, startSupport } from '#server/testing/test-mailing.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { toldText } from './terminal-text.ts';

const ESCAPE = '\u001b[31m';
const BUSY = { responseCode: 451, message: 'Mailbox busy' };
const UNKNOWN = { responseCode: 550, message: 'No such mailbox' };

const sent = { ...letter('registration-received'), paymentIntentId: 'pi_sent' };
const failed = { ...letter('welcome'), paymentIntentId: 'pi_failed' };
const delayed = { ...letter('office-notice'), paymentIntentId: 'pi_delayed' };
const waiting = {
  ...letter('registration-received'),
  paymentIntentId: 'pi_waiting',
  email: `eve${ESCAPE}\u202e\u009b0m@example.org`,
};

/** A queue with a mail in each state. */
async function startWithMails(t: TestContext) {
  const support = await startSupport(t);
  const worker = support.startHastyWorker();
  await support.queue.add(sent);
  await support.log.until('Mail sent');
  await worker.close();
  await failToSend(support, UNKNOWN, failed);
  await failToSend(support, BUSY, delayed);
  await support.queue.add(waiting);
  return support;
}

describe('support’s command line, reading', () => {
  test('prints how many places of each retreat with limited places are taken', async (t) => {
    const { run } = await startSupport(t);
    assert.deepEqual(await run('places'), { code: 0, out: 'No retreat has a number of places.\n', err: '' });
    limitPlaces(t, 3);
    const { database } = await testDatabase(t);
    const { payments, now } = await startCharges(t);
    const admission = createAdmission({ database, payments, now });
    const told = async () => toldText(await showPlaces({ openAdmission: async () => admission }));
    const registered = (id: string, standing: RegistrationRow['standing']): RegistrationRow => ({
      ...registration(id),
      edition: facts.id,
      standing,
    });
    await database.write((transaction) =>
      transaction
        .insertInto('registrations')
        .values([registered('anna', 'taken'), registered('berta', 'open')])
        .execute(),
    );
    await admission.places.hold(facts, { registration: 'berta' });
    assert.match(
      await told(),
      / 3 +places in all\n +1 +paid\n +1 +held while somebody pays, for 30 minutes each\n +0 +offered .*\n +0 +waiting .*\n +1 +left/,
    );
  });

  test('R5.4 lists mails in a table: failed, waiting and sent ones, with attempts and reasons', async (t) => {
    const { run } = await startWithMails(t);
    const { code, out, err } = await run('list');
    assert.deepEqual([code, err], [0, '']);
    const [headings = '', ...rows] = out.trimEnd().split('\n');
    assert.deepEqual(headings.split(/ {2,}/), ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'WHEN', 'REASON']);
    const [first, second, third, fourth, , summary] = rows.map((row) => row.split(/ {2,}/));
    const moment = /^(next try )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
    assert.deepEqual(first?.slice(0, 5), [
      mailJobId(failed),
      'welcome',
      'wilma@example.org',
      'failed',
      '1/108',
    ]);
    assert.match(first?.[5] ?? '', moment);
    assert.match(first?.[6] ?? '', /550 No such mailbox/);
    assert.equal(second?.[0], mailJobId(waiting));
    assert.equal(second?.[4], '0/108');
    assert.deepEqual(third?.slice(0, 5), [
      mailJobId(delayed),
      'office-notice',
      'the office',
      'delayed',
      '1/108',
    ]);
    assert.match(third?.[5] ?? '', /^next try \d{4}/);
    assert.match(third?.[6] ?? '', /451 Mailbox busy/);
    assert.deepEqual(fourth?.slice(3, 5), ['sent', '1/108']);
    assert.deepEqual(summary, ['1 failed, 2 waiting, 1 sent']);
    assert.ok(!out.includes('\u001b'));
  });

  test('R5.4 lists mails in one state, up to a maximum, and says how many are not shown', async (t) => {
    const { run, queue } = await startWithMails(t);
    await queue.add({ ...waiting, paymentIntentId: 'pi_newer' });
    const asked = [['--failed'], ['--sent'], ['--waiting', '--limit', '1'], ['--failed', '--json']];
    const [onlyFailed, onlySent, oneWaiting, json] = await Promise.all(
      asked.map((words) => run('list', ...words)),
    );
    assert.match(onlyFailed?.out ?? '', /pi_failed[\s\S]*\n\n1 failed\n$/);
    assert.doesNotMatch(onlyFailed?.out ?? '', /pi_sent|pi_waiting|pi_delayed/);
    assert.match(onlySent?.out ?? '', /pi_sent[\s\S]*\n\n1 sent\n$/);
    assert.match(oneWaiting?.out ?? '', /pi_newer[\s\S]*\n\n3 waiting; 1 are shown, --limit shows more\n$/);
    assert.doesNotMatch(oneWaiting?.out ?? '', /pi_waiting|pi_delayed/);

    const job = await queue.bullQueue.getJob(mailJobId(failed));
    assert.deepEqual(JSON.parse(json?.out ?? ''), {
      counts: { failed: 1, waiting: 3, sent: 1 },
      mails: [
        {
          id: mailJobId(failed),
          kind: 'welcome',
          paymentIntentId: 'pi_failed',
          to: 'wilma@example.org',
          state: 'failed',
          attemptsMade: 1,
          attemptsAllowed: 108,
          queuedAt: new Date(job?.timestamp ?? 0).toISOString(),
          nextTryAt: null,
          finishedAt: new Date(job?.finishedOn ?? 0).toISOString(),
          reason: job?.failedReason,
        },
      ],
    });
  });

  test('R5.4 succeeds with an empty queue', async (t) => {
    const { run } = await startSupport(t);
    assert.deepEqual(await run('list', '--failed'), { code: 0, out: '0 failed\n', err: '' });
  });

  test('R5.4 shows all of one mail: to whom, about what, and what the server said at each attempt', async (t) => {
    const { run } = await startWithMails(t);
    const [text, json] = await Promise.all([
      run('show', mailJobId(failed)),
      run('show', mailJobId(failed), '--json'),
    ]);
    assert.equal(text.code, 0);
    for (const fact of [
      /^To +wilma@example\.org$/m,
      /^Payment +pi_failed$/m,
      /^State +failed$/m,
      /^Attempts +1 of 108$/m,
      /^Failed +\d{4}-/m,
      /^Errors of its attempts\n +1 {2}.*No such mailbox/m,
    ]) {
      assert.match(text.out, fact);
    }
    const shown = JSON.parse(json.out);
    assert.equal(shown.paymentIntentId, 'pi_failed');
    assert.equal(shown.errors.length, 1);
  });

  test('R5.4 prints no control characters that a visitor or a server wrote', async (t) => {
    const { run } = await startWithMails(t);
    const [name, reason, json] = await Promise.all([
      run('show', mailJobId(waiting)),
      run('show', mailJobId(failed)),
      run('show', mailJobId(waiting), '--json'),
    ]);
    assert.match(name.out, /^To +eve.*@example\.org$/m);
    assert.match(reason.out, /No such mailbox/);
    for (const { out } of [name, reason, json]) assert.doesNotMatch(out, /[^\P{C}\n]/u);
    assert.equal(JSON.parse(json.out).to, waiting.email);
  });
});
