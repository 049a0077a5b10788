import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import request from 'supertest';
import { officePaths } from '#server/office/paths.ts';
import { beginHold, type RegistrationRecord } from '#server/registration/registration.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { failMail } from '#server/testing/test-queue.ts';
import {
  BEGUN,
  balance,
  type Changes,
  manyRegistrations,
  recordWith,
  refund,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';

const CHARGED = new Date(edition.facts.balance.chargeAt);
/** A paid balance has an id of its own in each registration. */
const paidBalance = (number: number) =>
  balance({ id: `pi_balance_${number}`, status: 'paid', paidAt: CHARGED });
/** An edition that nobody has registered for yet. */
const next = { ...edition, facts: { ...edition.facts, id: 'january-2027', title: 'The Next Door' } };

function personNamed(firstName: string, number: number, changes: Changes = {}): RegistrationRecord {
  const email = `${firstName.toLowerCase()}@example.org`;
  const begunAt = new Date(BEGUN.getTime() + number * 60_000);
  const phoneNumber = `+1 310 555 010${number}`;
  const registrant = { firstName, lastName: 'Ångström', email, phoneNumber, timeZone: '' };
  return recordWith({ id: `reg_${number}`, begunAt, registrant, ...changes });
}

const person = (firstName: string) => ({
  firstName,
  email: `${firstName.toLowerCase()}@example.org`,
  phoneNumber: '+1 310 555 0100',
  timeZone: '',
});

const unpaid = { deposit: 'unpaid', depositCents: 0 } as const;
const at = new Date('2025-12-01T12:00:00-08:00');
const cancelled = { decisions: { cancel: { at, by: 'Anna', writtenAt: at } } };

const people = [
  personNamed('Wilma', 1, { balances: [paidBalance(1)] }),
  personNamed('Zoë', 2),
  personNamed('Mia', 3, unpaid),
  personNamed('Ida', 4, { disputed: true }),
];

async function startWith(
  t: TestContext,
  records: RegistrationRecord[],
  now = new Date('2025-12-10T12:00:00-08:00'),
) {
  const clock = { now };
  const office = await startOffice(t, { now: () => clock.now, editions: [edition, next] });
  await putOnRecord(office.database, records);
  const get = async (query = '') =>
    (await request(office.app).get(`${officePaths.list}${query}`).expect(200)).text;
  return { ...office, clock, get };
}

/** The first names that a page lists, in their order. */
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<a href="\/office\/registrations\/reg_[^"]+">([^<]+)</g)].map(
    ([, name = '']) => name.split(' ')[0] ?? '',
  );

/** The filters with their counts, such as `Paid in full 1`. */
const countsIn = (html: string): string[] =>
  [...html.matchAll(/>([^<>]+) <span>([\d,]+)</g)].map(([, name, count]) => `${name} ${count}`);

const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('the list of registrations', () => {
  test('shows the newest first, with what each paid, owes and needs, and the sums of all', async (t) => {
    const { get } = await startWith(t, people);
    const html = await get();
    assert.deepEqual(namesIn(html), ['Ida', 'Mia', 'Zoë', 'Wilma']);
    const text = textOf(html);
    for (const row of [
      /Wilma Ångström wilma@example.org \+1 310 555 0101 Paid in full \$1,447.25 December 1, 2025/,
      /Zoë .{30,60} Deposit paid \$721 \$726.25 by December 21 /,
      /Mia .{30,60} Deposit left unpaid December/,
      /Ida .{30,60} Deposit paid A charge is disputed \$721 /,
      /4 people \$2,889.25 \$1,452.50/,
    ])
      assert.match(text, row);
    assert.match(textOf(await get('?show=due')), /2 people \$1,442 \$1,452.50/);
  });

  test('has the usual filters with anybody and the current one in a row, and the others folded', async (t) => {
    const { get } = await startWith(t, people);
    const [row = '', folded = ''] = (await get('?show=held')).split('<details>');
    const usual = 'All 4, Needs you 1, Registered 3, Due later 2, Paid in full 1, Place held 0';
    assert.equal(countsIn(row).join(', '), usual);
    assert.match(row, /aria-current="true">Place held/);
    for (const count of ['Late 0', 'Deposit not paid 1', 'Participants 3'])
      assert.ok(countsIn(folded).includes(count), count);
  });

  test('opens the one person whom a search finds, in the edition that was asked or in any', async (t) => {
    const { app, get, database } = await startWith(t, people);
    await get();
    await database.write((transaction) =>
      transaction
        .updateTable('registrationIndex')
        .set({ edition: next.facts.id })
        .where('registration', 'in', ['reg_1', 'reg_3'])
        .execute(),
    );
    const opens = async (query: string) => {
      const { status, headers, text } = await request(app).get(`${officePaths.list}?search=${query}`);
      return status === 303 ? headers.location : textOf(text);
    };
    const here = '&edition=january-2026';
    for (const [query, words] of [
      ['ZOE+angstrom', /\/reg_2$/],
      ['wilma&edition=january-2027', /\/reg_1$/],
      [
        `wilma${here}`,
        /Nobody matches “wilma” .* The Next Door, [^(]+\(1\) .* There is nobody here\. All words/,
      ],
      ['nobody', /Nobody matches “nobody” Show everybody The Doorway Retreat/],
      ['angstrom', /2 people match “angstrom” .*The Next Door, [^(]+\(2\) .*Ida.*Zoë/],
    ] as const)
      assert.match((await opens(query)) ?? '', words, query);
  });

  test('has fifty registrations on each page', async (t) => {
    const now = new Date('2025-12-29T12:00:00-08:00');
    const { get } = await startWith(t, manyRegistrations(120, now), now);
    const [one, two, three] = [await get(), await get('?page=2'), await get('?page=3')];
    assert.deepEqual(
      [one, two, three].map((html) => namesIn(html).length),
      [50, 50, 20],
    );
    assert.match(one, /1–50 of 120/);
    assert.match(two, /51–100 of 120.*\?edition=january-2026">Previous page.*page=3">Next page/s);
    assert.match(await get('?page=99'), /101–120 of 120/);
    for (const query of ['?page=0', '?page=-1', '?page=x&show=x&edition=x&search[]=x', '?page=1&page=2'])
      assert.equal(namesIn(await get(query)).length, 50, query);
  });

  test('shows whose letter failed, as long as the letter still applies', async (t) => {
    const registered = [personNamed('Zoë', 2), personNamed('Eva', 5)];
    const office = await startWith(t, registered);
    for (const { id, registrant } of registered) {
      const mail = letter('welcome', undefined, { ...registrant, id });
      await office.mailQueue.add(mail);
      await failMail(office.redis, mail.id);
      if (registrant.firstName === 'Eva') await office.letterLog.markSent(mail, office.clock.now);
    }
    const html = await office.get('?show=letter-failed');
    assert.deepEqual(namesIn(html), ['Zoë']);
    assert.match(html, /E-mails that did not get through/);
  });

  test('says in words that it cannot be read while Redis is away, and is back once Redis is', async (t) => {
    const { app, redis, log, get } = await startWith(t, people);
    await get();
    await redis.stop();
    await log.until('Redis is not available');
    const { text } = await request(app).get(officePaths.list).expect(503).expect('Content-Type', /html/);
    assert.match(text, /Nothing is lost. The site goes on taking registrations and payments/);
    await request(app).get('/office/registrations.csv').expect(503);
    await redis.start();
    await log.until('Redis is connected', 2);
    assert.equal(namesIn(await get()).length <= people.length, true);
  });

  test('is shown as it was, and says so, while the register can be read and not written', async (t) => {
    const { get, clock, database } = await startWith(t, people);
    assert.doesNotMatch(await get(), /role="alert"/);
    await database.write((transaction) => sql`pragma query_only = on`.execute(transaction));
    clock.now = CHARGED;
    const html = await get();
    assert.match(html, /role="alert"><p>The site can only read its register/);
    assert.deepEqual(namesIn(html), ['Ida', 'Mia', 'Zoë', 'Wilma']);
  });

  test('R8 says why nothing goes out while the register is held, and what to do first', async (t) => {
    const { get, database } = await startWith(t, people);
    await database.write(async (transaction) => {
      await beginHold(transaction, 'It is older than it was.');
    });
    const text = (await get()).replaceAll(/<[^>]+>/g, '');
    assert.match(text, /No message, charge or refund goes out since .*It is older than it was\./);
    assert.match(text, /Enter again what your own messages .* Then support release ends this/);
  });

  test('shows what was typed as text, and no style that the policy would refuse', async (t) => {
    const nasty = '<script>alert("1")</script>';
    const { get } = await startWith(t, [personNamed(nasty, 1, { balances: [paidBalance(1)] })]);
    const html = await get(`?search=${encodeURIComponent('"><b>')}`);
    assert.doesNotMatch(html + (await get()), /<script>|<b>|style=|<style/);
  });
});

describe('the list for a spreadsheet', () => {
  test('has the registrations of the search and the group, in a file named after edition and day', async (t) => {
    const { app } = await startWith(t, people);
    const answer = await request(app).get('/office/registrations.csv?search=angstrom&show=due').expect(200);
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(
      answer.headers['content-disposition'],
      'attachment; filename=registrations-january-2026-2025-12-10.csv',
    );
    const rows = parse(answer.text, { bom: true, columns: true }) as Record<string, string>[];
    const names = rows.map((row) => row['First name']);
    assert.deepEqual(names, ['Ida', 'Zoë']);
    const { text } = await request(app).get('/office/registrations.csv?search=nobody').expect(200);
    assert.equal(text.split('\r\n').length, 2, 'only the line of its columns');
  });
});

describe('the lists to hand on', () => {
  const coming = [
    personNamed('Wilma', 1, { balances: [paidBalance(1)] }),
    personNamed('Wilma', 2, { registrant: { ...person('wilma'), firstName: 'Wilma', lastName: 'Åkesson' } }),
    personNamed('=1+1', 3),
    personNamed('Mia', 4, unpaid),
    personNamed('Ida', 5, cancelled),
    personNamed('Eva', 6, { disputed: true }),
    personNamed('Zoë', 7, { refunds: [refund({ of: 'deposit', cents: 72_100, payment: 'pi_7' })] }),
  ];

  test('have those who come, and for the video host names by which they can be told apart', async (t) => {
    const { app, see, log } = await startWith(t, coming);
    const path = '/office/participants';
    const { text, headers } = await request(app).get(`${path}.csv?show=unpaid&search=mia`).expect(200);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(headers['content-disposition'] ?? '', /participants-january-2026-2025-12-10\.csv/);
    assert.deepEqual(parse(text, { bom: true, record_delimiter: '\r\n' }), [
      ['First name', 'Last name', 'E-mail', 'Join name'],
      ['Wilma', 'Åkesson', 'wilma@example.org', 'Wilma Åkesson'],
      ["'=1+1", 'Ångström', "'=1+1@example.org", "'=1+1 Å."],
      ['Eva', 'Ångström', 'eva@example.org', 'Eva Å.'],
      ['Wilma', 'Ångström', 'wilma@example.org', 'Wilma Ångström'],
    ]);
    const { document } = await see(`${path}?edition=january-2026`);
    const rows = [...document.querySelectorAll('.participants tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent?.replaceAll('\u00a0', ' ')),
    );
    assert.deepEqual(rows.slice(0, 3), [
      ['The Doorway Retreat, January 22–25, 2026: 4 participants on December 10, 2025'],
      ['Name', 'Phone', 'E-mail', 'Still open'],
      ['Wilma Åkesson', '+1 310 555 0100', 'wilma@example.org', '$726.25 due December 21, 2025'],
    ]);
    assert.deepEqual(rows.at(-1)?.slice(2), ['wilma@example.org', 'nothing ']);
    assert.ok(!log.text().includes('Wilma'));
  });

  test('are there without Redis, and not while the register is read only: paper cannot say what is missing', async (t) => {
    const { app, redis, database, clock } = await startWith(t, coming);
    await redis.stop();
    await request(app).get('/office/participants').expect(200);
    await database.write((transaction) => sql`pragma query_only = on`.execute(transaction));
    clock.now = CHARGED;
    for (const path of ['/office/participants', '/office/participants.csv'])
      await request(app).get(path).expect(503);
  });
});
