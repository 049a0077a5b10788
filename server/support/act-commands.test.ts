import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { registrationFacts, timelineOf } from '#server/acts/registration-facts.ts';
import { orderOf } from '#server/record/owed.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing, startSupport } from '#server/testing/test-mailing.ts';
import { BEGUN, balance, recordWith, refund } from '#server/testing/test-registrations.ts';
import { startFullSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readCommand } from './run-command.ts';

/** A registration with its deposit paid, and commands for it. */
async function startPaid(t: TestContext) {
  const mailing = await startMailing(t);
  const id = await mailing.register();
  const run = async (command: string, of = id) => {
    const [name = '', ...words] = command.split(' ');
    return String(await readCommand([name, of, ...words])((work) => work(mailing.context), {}));
  };
  const json = async () => JSON.parse(await run('show --json'));
  return { ...mailing, id, run, json, find: () => mailing.find(id) };
}

/** Commands for a registration, in an order in which each is possible, and what they print. */
const ACTS: readonly (readonly [command: string, says: RegExp])[] = [
  ['waive 200 --as scholarship --reason ill', /^ +-\$200 +scholarship$/m],
  ['withdraw waived', /The waiver no longer holds/],
  ['postpone 2026-01-05', /is due Jan 5, 2026, 5:00 PM PST\./],
  ['withdraw postponed', /The later due day no longer holds/],
  ['pay-by-check', /She pays \$700 by check or transfer\./],
  ['received 700 --on 2025-12-01 --way transfer --number AB12', /Her transfer AB12 of \$700 came/],
  ['take-back payment-1 --why mistake', /no longer counts: it was a mistake/],
  ['withdraw check', /The check for the balance no longer holds/],
  ['refund 5 --reason illness', /\$5 goes back to her card/],
  ['withdraw refund', /\$5 of it has not gone back/],
  ['cancel --written 2025-12-01', /Nothing comes back/],
  ['undo-cancel', /her place is hers again/],
  ['note --text Voicemail --call-back', /^Call her back {2,}Voicemail$/m],
  ['called-back', /^Note 1, Anna, .+ PST {2,}Voicemail$/m],
  ['take-back-note 1', /Its text is removed for good/],
  [
    'hand-over --first Mary --last Hart --email mary@example.org --phone +15555550177',
    /^Then {2,}Mary Hart/m,
  ],
  ['withdraw handOver', /The handing over of her place no longer holds/],
  ['edit --last Hart --phone +49301234567', /^Last name {2,}O’Hara {2,}→ {2}Hart$/m],
];

/** Commands that are refused, and why. */
const REFUSED: readonly (readonly [command: string, message: RegExp])[] = [
  ['charge --by Anna', /a card is charged once the balance is due/],
  ['dispute-over --by Anna', /No dispute holds anything up/],
  ['refund-by-check 700 --sent 2025-12-01 --by Anna', /no check is owed to her/],
  ['postpone 2025-12-23T17:00 --by Anna', /DATE needs a day, such as/],
  ['postpone 2026-02-30 --by Anna', /DATE needs a day that its month has/],
  ['cancel --written soon --by Anna', /--written needs a day/],
  ['cancel --written 2025-12-02T25:00 --by Anna', /--written needs a day, or a day and a time/],
  ['cancel --written 2025-02-29 --by Anna', /--written needs a day that its month has/],
  ['refund 1 --by Anna', /--reason TEXT must say why/],
  ['note --by Anna', /--text TEXT must say what is noted/],
  ['called-back --by Anna', /No note asks for her to be called back/],
  ['take-back-note 1 --by Anna', /There is no note/],
  ['edit --phone 12 --by Anna', /A valid phone number is required/],
  ['edit --by Anna', /Say what to correct/],
  ['hand-over --first Mary --last Hart --phone +15555550177 --by Anna', /Email is required/],
];

describe('support’s commands for a registration', () => {
  test('do each act in the name that is given, and only describe it when tried', async (t) => {
    const { run, find } = await startPaid(t);
    for (const [command, says] of ACTS) {
      await assert.rejects(run(command), /--by NAME must say who does it/, command);
      const before = await find();
      const tried = await run(`${command} --by Anna --dry-run`);
      assert.match(tried, says);
      assert.match(tried, /Only tried: nothing was changed\.$/);
      assert.deepEqual(await find(), before, command);
      const done = await run(`${command} --by Anna`);
      assert.match(done, says);
      assert.match(done, /^Recorded for Anna\.$/m);
      assert.notDeepEqual(await find(), before, command);
    }
  });

  test('print the bookkeeping of a month, or its rows for a spreadsheet', async (t) => {
    const { context, id } = await startPaid(t);
    const run = async (...words: string[]) =>
      String(await readCommand(['bookkeeping', ...words])((work) => work(context), {}));
    const printed = await run('2025-12');
    assert.match(
      printed,
      new RegExp(`^2025-12-01 +${id} +deposit +card +721\\.00 +26\\.00 +21\\.21 +699\\.79$`, 'm'),
    );
    assert.match(printed, /^All transactions at Stripe +1 +721\.00 +0\.00 +21\.21 +699\.79$/m);
    assert.match(printed, /add up to all of it, to the cent\.$/m);
    assert.match(await run('2025-12', '--csv'), new RegExp(`\r\n"2025-12-01","Wilma O’Hara","${id}"`));
    assert.throws(() => readCommand(['bookkeeping', '2025-13']), { message: /MONTH needs a month, such as/ });
  });

  test('show her notes, and print all that is kept about her', async (t) => {
    const { run, json } = await startPaid(t);
    await run('note --text Voicemail --call-back --by Anna');
    const shown = await run('show');
    assert.match(shown, /^Call her back {2,}Note 1, Anna, /m);
    assert.match(shown, /Anna: note 1, to call her back: Voicemail$/m);
    assert.equal((await json()).notes[0].text, 'Voicemail');
    assert.match(await run('export'), /^Text: Voicemail$/m);
    const { tables } = JSON.parse(await run('export --json'));
    assert.deepEqual(tables.acts.at(-1).facts, { text: 'Voicemail', callBack: true });
    await assert.rejects(run('export', 'pi_none'), { message: 'There is no registration pi_none.' });
  });

  test('record nothing as done by her, her bank or the worker', async () => {
    const message = '--by NAME must be the name of a person of the office.';
    for (const name of [
      'the registrant',
      ' The Registrant ',
      'The\u00a0registrant',
      'the worker',
      'her bank',
    ])
      assert.throws(() => readCommand(['waive', 'pi_1', '200', '--by', name]), { message });
  });

  test('refuse an act that is impossible or not understood, and change nothing', async (t) => {
    const { run, find } = await startPaid(t);
    const before = await find();
    for (const [command, message] of REFUSED) {
      await assert.rejects(run(command), { message }, command);
      assert.deepEqual(await find(), before, command);
    }
  });

  test('send her the link to her page once her deposit is paid, renew it, print one that only shows it, and correct nothing once it is closed', async (t) => {
    const { run, find, begin, id, stripe, sendAll } = await startPaid(t);
    assert.match(await run('look --by Anna'), new RegExp(`/place/v1\\.${id}\\.0\\.look\\.`));
    assert.deepEqual(
      (await find()).officeLinks.map(({ by }) => by),
      ['Anna'],
    );
    const sent = await run('link --by Anna');
    assert.match(sent, /A message with the link goes to wilma@example\.org\./);
    assert.match(await run('link --renew --by Anna'), /Older links no longer work/);
    assert.doesNotMatch(sent, /\/place\//);
    assert.equal((await find()).linksEpoch, 1);
    // The link in the first one no longer works.
    assert.deepEqual(await sendAll(), ['place-link', 'place-link']);
    const unpaid = await begin({ email: 'olga@example.org' });
    const early = 'She has a page once her deposit is paid, or a place is held for her.';
    await assert.rejects(run('link --by Anna', unpaid.id), { message: early });
    await stripe.paymentIntents.cancel(unpaid.id);
    const message = 'This registration is closed: there is nothing to correct.';
    await assert.rejects(run('edit --last Hart --by Anna', unpaid.id), { message });
  });

  test('end with a code: done, wrong usage, no such registration, not possible in its state', async (t) => {
    const { run, register, payments, find, now, stripe } = await startSupport(t, { startsAt: BEGUN });
    const id = await register();
    const works = ['address-works', id, '--by', 'Anna'];
    const early = await run(...works);
    assert.deepEqual([early.code, early.out], [4, '']);
    assert.match(early.err, /^No message to her present address came back.*\n$/);
    const address = (await find(id)).registrant.email;
    const event = { type: 'bounce', permanent: true, address, at: now() } as const;
    await payments.recordBounce(event, now());
    assert.match((await run('show', id)).out, /^Messages {2,}a message to her came back on Dec 1, 2025/m);
    assert.match((await run(...works, '--dry-run')).out, /Messages go to \S+ again\.[\s\S]*Only tried/);
    const done = await run(...works);
    assert.deepEqual([done.code, done.err], [0, '']);
    const unnamed = await run('address-works', id);
    assert.deepEqual([unnamed.code, unnamed.out], [2, '']);
    const { id: other } = await stripe.paymentIntents.create({ amount: 5_000, currency: 'usd' });
    for (const none of [other, 'pi_none']) {
      const err = `There is no registration ${none}.\n`;
      assert.deepEqual(await run('show', none), { code: 3, out: '', err });
    }
  });
});

describe('support is shown', () => {
  test('a registration with its letters, by its deposit or by the payment of its balance', async (t) => {
    const { run, json, tell, moveTo, sandbox, find, charge, payments, mailQueue, id, now } =
      await startPaid(t);
    await mailQueue.add((await payments.findMail(id, 'welcome', now())) ?? assert.fail());
    await tell(id);
    moveTo(DUE);
    sandbox.bank.declineNextCharge((await find()).card?.id ?? '', 'insufficient_funds');
    await charge(id);
    const shown = await run('show');
    for (const words of [
      new RegExp(`^Registration {2,}${id}$`, 'm'),
      /^Edition {2,}january-2026: /m,
      /^State {2,}retrying$/m,
      /^Agreed to {2,}terms version \d/m,
      /^Balance {2,}\$726\.25 by card, due Dec 21, 2025, 5:00 PM PST$/m,
      /^Card {2,}Visa ending in 4242$/m,
      /^Told of the charge {2,}\$726\.25 on Dec 21, 2025, 5:00 PM PST$/m,
      /^Tries {2,}1, the last one declined: insufficient_funds; tried again Dec 22, 2025, 5:00 PM PST/m,
      /^Dec 1, 2025, 9:00 AM PST {2,}began to register$/m,
      /^Dec 1, 2025, 9:00 AM PST {2,}paid the deposit of \$721$/m,
      /^Dec 21, 2025, 5:00 PM PST {2,}try 1 of her card was declined/m,
      /message welcome: waiting/,
    ])
      assert.match(shown, words);
    const one = await json();
    assert.deepEqual([one.state, one.balance.byCardCents], ['retrying', 72_625]);
    const { balance: payment } = await find();
    assert.deepEqual(JSON.parse(await run('show --json', payment?.id ?? assert.fail())), one);
  });

  test('what went back to her, what is owed by check, and what her bank took', () => {
    const by = { at: BEGUN, by: 'Anna' };
    const exception = { ...by, cents: 72_626, reason: 'illness' };
    const order = orderOf('refund', exception);
    const record = recordWith({
      balance: balance({ status: 'paid', tries: 1, paidAt: BEGUN }),
      refunds: [refund({ cents: 72_625, order }), refund({ id: 're_2', of: 'deposit', cents: 1, order })],
      decisions: {
        refund: exception,
        checkSent: { ...by, cents: 60_000, sentAt: BEGUN, sentBefore: 10_000 },
        disputeOver: { ...by, charges: [], disputes: [], lost: { deposit: 0, balance: 72_625 } },
        withdrawn: [{ ...by, kind: 'cancel' }],
      },
      corrections: { name: { ...by, was: 'Olga O’Hara' } },
    });
    const facts = registrationFacts(record, daysAfter(BEGUN, 1)).map((fact) => fact.join(': '));
    const happened = timelineOf(record, []).map(({ what }) => what);
    const missing = [
      'Given back: $726.26',
      'Lost in a dispute: $726.25',
      'Exception: $726.26: illness (Anna, Dec 1, 2025, 10:00 AM PST), carried out',
      'Checks before it: $100',
      'Earlier name: Olga O’Hara',
      '$726.25 of the balance went back to her',
      'Anna: gives back $726.26 as an exception: illness',
      'Anna: took back her cancellation',
      'Anna: sent her a check of $600 on Dec 1, 2025, 10:00 AM PST',
      'Anna: the dispute is over; her bank took $726.25 back',
      'Anna: corrected the name, which was Olga O’Hara',
    ].filter((words) => ![...facts, ...happened].includes(words));
    assert.deepEqual(missing, []);
    const cancelled = { at: BEGUN, cents: 0, checkCents: 70_000 };
    const owed = registrationFacts(recordWith({ cancelled }), daysAfter(BEGUN, 1));
    assert.ok(owed.some((fact) => fact.join(': ') === 'Owed by check: $700'));
  });
});

const EDITION = edition.facts.id;
const url = 'https://videos.example.org/retreat';
const ANNA = ['--by', 'Anna'];

describe('the office announces something to all, by command', () => {
  for (const [what, startsAt, says, subject] of [
    [
      'recordings',
      '2026-01-26T17:00:00Z',
      /Nobody gets a message, from Jan 27, 2026, 9:00 AM PST on/,
      /^ {2}\| Subject: The recordings of .* are ready$/m,
    ],
    [
      'room',
      '2026-01-02T17:00:00Z',
      /everybody’s page leads there from Jan 14, 2026, 6:00 AM PST on/,
      /^ {2}\| Subject: Try it with us: the test session/m,
    ],
  ] as const)
    test(`R5.1 the ${what}: a dry run shows the message, then it is done; the same address is refused later`, async (t) => {
      const { run, payments } = await startSupport(t, { startsAt: new Date(startsAt) });
      const words = [`announce-${what}`, EDITION, url, ...ANNA];
      const tried = await run(...words, '--dry-run');
      assert.equal(tried.code, 0, tried.err);
      for (const shown of [says, subject, /Only tried: nothing was changed\.\n$/])
        assert.match(tried.out, shown);
      assert.ok(!tried.out.split('Subject:')[1]?.includes(url), 'the message does not tell the address');
      assert.deepEqual(await payments.readAnnouncements(edition), {});
      assert.match((await run(...words)).out, /Recorded for Anna\.\n$/);
      const announced = (await payments.readAnnouncements(edition))[what];
      assert.deepEqual([announced?.url, announced?.by], [url, 'Anna']);
      const again = await run(...words);
      assert.deepEqual([again.code, again.err], [4, 'This address is announced already.\n']);
    });

  test('R5.1 a letter in its own words: a dry run shows it, then it is sent, and stopped by its ID', async (t) => {
    const { run, payments, register, find } = await startSupport(t, {
      startsAt: new Date('2026-01-02T17:00:00Z'),
    });
    await find(await register());
    const folder = await mkdtemp(join(tmpdir(), 'letter-'));
    cleanUp(t, () => rm(folder, { recursive: true }));
    const file = join(folder, 'letter.txt');
    await writeFile(file, 'Bring a pen, {first name}.\n\n{link}\n');
    const words = ['message', EDITION, '--to', 'registered', '--subject', 'What to bring', '--text-file'];
    const tried = await run(...words, file, ...ANNA, '--dry-run');
    assert.equal(tried.code, 0, tried.err);
    assert.match(tried.out, /^ *Messages +1$/m);
    assert.match(tried.out, /^ {2}\| Subject: What to bring$/m);
    assert.match(tried.out, /^ {2}\| Bring a pen, Wilma\.$/m);
    assert.deepEqual(await payments.readMessages(edition), []);
    const [, id = ''] = /^ *ID +(\w{16})$/m.exec(tried.out) ?? [];
    assert.equal((await run(...words, file, ...ANNA)).code, 0);
    const stopped = await run('stop-message', EDITION, id, ...ANNA);
    assert.match(stopped.out, /One person has not had it.*\n.*Nobody has had it already/);
    const [message] = await payments.readMessages(edition);
    assert.deepEqual([message?.message, message?.stopped?.by], [id, 'Anna']);
    await writeFile(file, 'Dear {name}');
    const [wrong, none] = await Promise.all([
      run(...words, file, ...ANNA),
      run('stop-message', EDITION, 'none', ...ANNA),
    ]);
    assert.match(wrong.err, /“\{name\}” stands for nothing/);
    assert.deepEqual([wrong.code, none.code], [2, 3]);
  });

  test('R5.1 not a schedule that never changed, nor for an unknown retreat, nor without a name', async (t) => {
    const { run, payments } = await startSupport(t, { startsAt: new Date('2026-01-02T17:00:00Z') });
    const [first, unknown, nobody, plain] = await Promise.all([
      run('announce-schedule', EDITION, ...ANNA),
      run('announce-schedule', 'june-1999', ...ANNA),
      run('announce-schedule', EDITION),
      run('announce-recordings', EDITION, 'http://videos.example.org', ...ANNA),
    ]);
    assert.deepEqual([first.code, unknown.code, nobody.code, plain.code], [4, 2, 2, 2]);
    assert.match(first.err, /The schedule is the one that was first published/);
    assert.match(unknown.err, /There is no edition june-1999/);
    assert.match(nobody.err, /--by NAME must say who does it/);
    assert.match(plain.err, /URL needs an address that begins with https/);
    assert.deepEqual(await payments.readAnnouncements(edition), {});
  });
});

test('commands show the waiting list, offer a place, withdraw the offer, and remove an entry', async (t) => {
  const site = await startFullSite(t);
  await site.join();
  await site.confirm();
  const { id } = await site.onlyEntry();
  const run = async (...words: string[]) =>
    String(await readCommand(words)((work) => work(site.context), {}));
  assert.match(
    await run('waiting'),
    new RegExp(`Places +1[\\s\\S]*Can be offered +0[\\s\\S]*${id} .*Wilma O’Hara .*Waiting`),
  );
  await assert.rejects(run('offer', id, '--by', 'Olga'), /No place is free/);
  const offered = ['offer', id, '--by', 'Olga', '--without-place'];
  assert.match(await run(...offered, '--dry-run'), /Only tried: nothing was changed/);
  assert.match(await run(...offered), /A place is kept for her until .*\n[\s\S]*Recorded for Olga/);
  assert.match(await run('waiting'), /Offered +1[\s\S]*A place is offered until/);
  assert.match(await run('withdraw-offer', id, '--by', 'Olga'), /its link no longer works/);
  assert.match(await run('remove-waiting', id, '--by', 'Olga'), /her details are deleted/);
  assert.match(await run('waiting'), /Nobody waits/);
  await assert.rejects(run('offer', id, '--by', 'Olga'), /There is no entry/);
  assert.throws(() => readCommand(['offer', 'pi_1', '--by', 'Olga']), /ENTRY needs/);
});
