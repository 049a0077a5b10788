import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readMessageLetters, readMessages } from '#server/letters/messages.ts';
import { queueLetters } from '#server/letters/queue.ts';
import type { Audience } from '#server/office/commands/message-commands.ts';
import { act } from '#server/office/terminal/act-command.ts';
import { toldText } from '#server/office/terminal/command.ts';
import { recordBounce } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { forget } from '#server/stripe/forget.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const MINUTE_MS = 60_000;
const subject = 'What to bring';
const words = [`subject=${subject}`, 'text=Bring a pen, {first name}.\n\n{link}'];

/** Registrants who have paid their deposits, and have had their first letters. */
async function startWriting(t: TestContext, count: number) {
  const letters = await startMailing(t);
  const { context, mailServer, register, work, database, connection, now, moveTo } = letters;
  const ids = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      register({ email: `p${number}@example.org`, firstName: `P${number}`, consents: false }),
    ),
  );
  await work();
  const sent = { state: 'sent', endedAt: now() } as const;
  await database.write((transaction) => transaction.updateTable('letters').set(sent).execute());
  await connection.flushall();
  const give = async (kind: string, fields: readonly string[], isTried = false) => {
    const told = await act(context, edition.facts.id, { kind, fields, by: 'Anna', isTried });
    return typeof told === 'string' ? told : toldText(told);
  };
  const messages = () => readMessages(letters.payments, edition);
  return {
    ...letters,
    ids,
    messages,
    write: (to: Audience = 'registered', isTried = false) => give('write', [`to=${to}`, ...words], isTried),
    /** To whom the letter went so far, sorted. */
    readers: () =>
      mailServer.parsed
        .filter((mail) => mail.subject === subject)
        .map(({ to }) => to?.[0]?.address ?? '')
        .toSorted(),
    /** A worker sends some letters, and ends. */
    async sendSome(some: number) {
      const goal = mailServer.parsed.length + some;
      const worker = letters.startWorker();
      while (mailServer.parsed.length < goal) await mailServer.nextMail();
      await worker.close();
    },
    /** Time goes on until what has no job counts as lost. */
    untilLost: () => moveTo(new Date(now().getTime() + 3 * MINUTE_MS)),
    bounce: (address: string) => recordBounce(letters.payments, { address, at: now() }, now()),
  };
}

describe('a letter that the office wrote to many', () => {
  test('R5.1 reaches each of thirty once, after letters to one person, pressed twice, with processes killed and Redis emptied', async (t) => {
    const started = await startWriting(t, 30);
    const { write, readers, sendSome, untilLost, connection, work, sendAll, messages } = started;
    const { mailServer, mailQueue, letterLog, payments, ids, now } = started;
    assert.match(await write('registered', true), /^To +Registered\nMessages +30$/m);
    assert.deepEqual([await messages(), readers()], [[], []]);
    const pressed = await Promise.allSettled([write(), write()]);
    assert.ok(pressed.some(({ status }) => status === 'fulfilled'));
    const [message] = await messages();
    assert.deepEqual(
      message?.sendings.map(({ to, by: who, count }) => [to, who, count]),
      [['registered', 'Anna', 30]],
    );
    // All jobs are gone, as if the process had been killed before it queued them.
    await connection.flushall();
    untilLost();
    await work();
    // A letter to one person goes before all that wait.
    const before = mailServer.parsed.length;
    const welcome = (await findMail(payments, ids[0] ?? '', 'welcome', now())) ?? assert.fail();
    const copy = await letterLog.oweAgain(welcome, { name: 'asked' }, now());
    await queueLetters(mailQueue.bullQueue, [{ kind: 'welcome', id: copy, again: true }]);
    await sendSome(10);
    assert.match(mailServer.parsed[before]?.subject ?? '', /^Welcome/);
    await connection.flushall();
    await assert.rejects(write(), /nobody is left/);
    untilLost();
    await work();
    await sendAll();
    assert.deepEqual([readers().length, new Set(readers()).size], [30, 30]);
    await work();
    assert.deepEqual(await sendAll(), []);
  });

  test('R5.1 does not go to whose letters come back, who is forgotten, or who is not meant any more', async (t) => {
    const started = await startWriting(t, 6);
    const { write, readers, bounce, ids, find, payments, now, sendAll, messages } = started;
    await bounce('p0@example.org');
    assert.match(await write(), /^Messages +5\nLeft out +1: no message reaches them now$/m);
    await bounce('p1@example.org');
    await payments.ask(forget, await find(ids[2] ?? ''), 'Anna', now());
    const at = now();
    await payments.ask(decide, await find(ids[3] ?? ''), 'cancel', { at, by: 'Anna', writtenAt: at });
    await payments.ask(correctDetails, { id: ids[4] ?? '' }, { email: 'new@example.org' }, 'Anna', at);
    await sendAll();
    assert.deepEqual(readers(), ['new@example.org', 'p5@example.org']);
    const [{ message = '' } = {}] = await messages();
    const states = (await readMessageLetters(payments, message)).map(({ state }) => state).toSorted();
    assert.deepEqual(states, ['dismissed', 'dropped', 'dropped', 'sent', 'sent']);
    // She is among those who cancelled, and has not had it.
    assert.match(await write('cancelled'), /^To +Cancelled\nMessages +1$/m);
    await sendAll();
    assert.deepEqual(readers(), ['new@example.org', 'p3@example.org', 'p5@example.org']);
  });
});
