import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { timelineOf } from '#server/acts/registration-facts.ts';
import { createOwnPageLinks } from '#server/links/links.ts';
import type { MailKind } from '#server/mail/job.ts';
import { readRows } from '#server/office/list/find-listed.ts';
import { csvOf } from '#server/office/list/hand-on.tsx';
import { officePaths } from '#server/office/paths.ts';
import { readActs } from '#server/record/acts.ts';
import { refreshIndex } from '#server/register/registration-index.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { saidIn, startOffice } from '#server/testing/test-office.ts';
import { newsOf, startOwnPage } from '#server/testing/test-own-page.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { formPaths } from '#shared/own-page-forms.ts';

const DETAILS = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
};
const OVER = daysAfter(new Date(edition.facts.endsAt), 1);

/** The office, and the letters of a kind that are owed or sent. */
async function startLinks(t: TestContext) {
  const office = await startOffice(t);
  return {
    ...office,
    async mailOf(id: string, kind: MailKind) {
      await office.work();
      return (await office.letterLog.about(id)).filter((letter) => letter.kind === kind);
    },
  };
}

describe('the office corrects and removes personal data with forms', () => {
  test('details that are typed in another way are the same, also where they are stored so', async (t) => {
    const { register, preview, payments, now } = await startOffice(t);
    const id = await register();
    const pasted = { ...DETAILS, lastName: '\u202aO’Hara\u202c', email: 'mailto:\u200bwilma＠example.org' };
    assert.match((await preview(id, 'edit', pasted)).text, /Say what to correct/);
    const phoneNumber = '+1 (555) 555–0142';
    await payments.correctDetails({ id }, { phoneNumber }, 'Anna', now());
    for (const same of [phoneNumber, DETAILS.phoneNumber])
      assert.match(
        (await preview(id, 'edit', { ...DETAILS, phoneNumber: same })).text,
        /Say what to correct/,
      );
  });

  test('a correction of her details shows the old and the new ones, and queues the letters that become due', async (t) => {
    const { register, preview, find, held, mailQueue, audited, registrationList } = await startOffice(t);
    const id = await register();
    const same = await preview(id, 'edit', DETAILS);
    assert.equal(same.status, 422);
    assert.match(same.text, /Say what to correct/);
    const wrong = await preview(id, 'edit', { ...DETAILS, email: 'wilma@' });
    assert.match(wrong.text, /A valid email is required/);

    const heldBefore = await held();
    const typed = { ...DETAILS, lastName: '<i>Hart</i>', email: 'wilma@correct.example' };
    const shown = await preview(id, 'edit', typed);
    assert.deepEqual(shown.says, [
      'Last name O’Hara → <i>Hart</i>',
      'E-mail wilma@example.org → wilma@correct.example',
      'A message tells the old address. Links in earlier messages no longer work.',
    ]);
    assert.ok(!shown.html.includes('<i>Hart'));
    assert.equal(shown.button, 'Correct her details');
    assert.deepEqual(await held(), heldBefore);
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(done.led?.text ?? '', /These mails are queued: .*“Welcome”.*By Anna\./);
    assert.match(done.led?.text ?? '', /Earlier nameWilma O’Hara, until .*corrected by Anna/);
    assert.ok(!done.led?.html.includes('<i>Hart'));
    const { registrant, corrections } = await find(id);
    assert.deepEqual([registrant.lastName, registrant.email], ['<i>Hart</i>', 'wilma@correct.example']);
    assert.equal(corrections.email?.by, 'Anna');
    assert.equal((await registrationList.find(id))?.record.registrant.email, 'wilma@correct.example');
    const jobs = await mailQueue.bullQueue.getJobs();
    assert.ok(jobs.some((job) => job.id?.startsWith(`address-changed-${id}`)));
    assert.equal((await shown.confirm()).status, 422);
    assert.deepEqual(audited, ['Anna edit: done', 'Anna edit: refused']);
  });

  test('details of another person are refused before anything is done: correcting is not handing over', async (t) => {
    const { register, preview, find } = await startOffice(t);
    const id = await register();
    const sister = { ...DETAILS, firstName: 'Berta', lastName: 'Fuchs', email: 'berta@example.org' };
    const shown = await preview(id, 'edit', sister);
    assert.equal(shown.status, 409);
    assert.match(shown.text, /another person’s.*A place cannot be handed over/);
    assert.equal((await find(id)).registrant.firstName, 'Wilma');
    assert.equal((await preview(id, 'edit', { ...sister, firstName: 'Wilma' })).status, 200);
  });

  test('a user of the office is shown a link that cannot act and is stored nowhere; it is in her timeline, and a letter tells her', async (t) => {
    const { register, preview, seeRegistration, held, config, now, audited, mailOf } = await startLinks(t);
    const id = await register();
    const links = createOwnPageLinks(config.linkSecrets, config.publicUrl);
    const shown = await preview(id, 'look');
    assert.doesNotMatch(shown.text, /\/place\//);
    const done = await shown.confirm();
    assert.equal(done.status, 200);
    const [, token = ''] = /\/place\/(\S+)/.exec(saidIn(done.document).join('\n')) ?? [];
    const { scope, deposit, epoch, expiresAt } = links.read(token, now()) ?? assert.fail();
    assert.deepEqual([scope, deposit, epoch], ['look', id, 0]);
    assert.ok(expiresAt <= daysAfter(now(), 1));
    const [, inRedis] = await held();
    assert.doesNotMatch(JSON.stringify(inRedis), new RegExp(Buffer.from('/place/').toString('hex')));
    assert.match((await seeRegistration(id)).text, /Anna: took a link that shows her page/);
    assert.equal((await mailOf(id, 'page-seen')).length, 1);
    assert.equal((await shown.confirm()).status, 409);
    await (await preview(id, 'look')).confirm();
    assert.equal((await mailOf(id, 'page-seen')).length, 1);
    assert.deepEqual(audited, ['Anna look: done', 'Anna look: changed', 'Anna look: done']);
  });

  test('a link that acts goes to her mailbox alone; a new one ends the older ones, also while no letter reaches her', async (t) => {
    const { register, preview, seeForm, find, audited, mailOf, payments, now } = await startLinks(t);
    const id = await register();
    const sent = await (await preview(id, 'link')).confirm();
    assert.match(sent.led?.text ?? '', /A message with the link goes to wilma@example\.org\./);
    const [letter] = await mailOf(id, 'place-link');
    assert.equal(letter?.address, 'wilma@example.org');

    const renewing = await preview(id, 'renew-link');
    assert.match(renewing.says.join('\n'), /Older links no longer work/);
    assert.equal(renewing.button, 'Send her a new link and end the older ones');
    const renewed = await renewing.confirm();
    for (const page of [sent, renewed]) assert.doesNotMatch(`${page.html}${page.led?.html}`, /\/place\/v1/);
    assert.equal((await renewing.confirm()).status, 409);
    assert.equal((await find(id)).linksEpoch, 1);
    assert.deepEqual(audited, ['Anna link: done', 'Anna renew-link: done', 'Anna renew-link: changed']);

    const address = (await find(id)).registrant.email;
    await payments.recordBounce({ type: 'bounce', permanent: true, address, at: now() }, now());
    assert.match((await seeForm(id, 'link')).text, /Messages to her come back: correct her address first/);
    const unheard = await (await preview(id, 'renew-link')).confirm();
    assert.match(unheard.led?.text ?? '', /No message goes out/);
    assert.equal((await find(id)).linksEpoch, 2);
  });

  test('the evidence page shows text to copy, and changes nothing', async (t) => {
    const { register, see, held } = await startOffice(t);
    const id = await register();
    const heldBefore = await held();
    const { status, document } = await see(officePaths.evidence(id));
    assert.equal(status, 200);
    assert.match(document.querySelector('textarea')?.value ?? '', /WHO REGISTERED\nName: Wilma O’Hara/);
    assert.deepEqual(await held(), heldBefore);
  });

  test('only support can remove a registrant’s data, and mark a payment as looked at', async (t) => {
    const office = await startOffice(t);
    const { register, preview, find, signIn, seeRegistration, seeForm, held, audited } = office;
    const id = await register();
    office.moveTo(OVER);
    const heldBefore = await held();
    for (const act of ['forget', 'looked-at']) {
      for (const { status, text } of [
        await seeForm(id, act),
        await preview(id, act, { step: 'confirm', seen: 'x' }),
      ]) {
        assert.equal(status, 403);
        assert.match(text, /Only support may do this\. Nothing was done\./);
      }
    }
    assert.doesNotMatch((await seeRegistration(id)).text, /Remove her personal data|looked at/);
    assert.deepEqual(await held(), heldBefore);
    assert.equal(audited.filter((line) => line === 'Anna forget: refused').length, 2);

    signIn({ name: 'Sol', role: 'support' });
    assert.match((await seeRegistration(id)).text, /For support.*Remove her personal data/);
    await (await preview(id, 'looked-at')).confirm();
    const acts = await office.database.read((transaction) => readActs(transaction, id));
    assert.deepEqual([acts.at(-1)?.kind, acts.at(-1)?.byWhom], ['looked-at', 'Sol']);
    const shown = await preview(id, 'forget');
    assert.equal(shown.button, 'Remove her personal data for good');
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(saidIn(done.led?.document ?? assert.fail()).join('\n'), /By Sol\.$/m);
    const { forgottenAt, registrant } = await find(id);
    assert.ok(forgottenAt);
    assert.deepEqual([registrant.firstName, registrant.email], ['', '']);
    assert.ok(audited.includes('Sol forget: done'));
  });
});

/** Has the tested edition ask for the consent to publication apart from the terms, for one test. */
function askApart(t: TestScope): void {
  edition.facts.publication = 'separate';
  t.after(() => delete edition.facts.publication);
}

const { version, digest } = edition.terms;

test('a consent to publication is recorded with the terms where the edition asks for it apart, and only then', async (t) => {
  const { app, clientSecret: paymentIntentClientSecret, find } = await startRegistered(t);
  const agree = async (publication?: boolean) => {
    const consent = { paymentIntentClientSecret, version, digest, publication };
    await request(app).post('/recordConsent').send(consent).expect(204);
    return (await find()).publication?.agrees;
  };
  assert.equal(await agree(true), undefined);
  askApart(t);
  assert.equal(await agree(), undefined);
  assert.equal(await agree(false), undefined);
  assert.equal(await agree(true), true);
  assert.equal(await agree(false), false);
});

test('on her page she agrees to publication and takes it back; the office sees it, in the spreadsheet too', async (t) => {
  const { enter, see, press, find, payments, database, deposit, now } = await startOwnPage(t);
  const cookie = await enter();
  assert.doesNotMatch((await see(cookie).expect(200)).text, /name="agrees"/);
  assert.equal(newsOf(await press(cookie, formPaths.publication, { agrees: 'on' }).expect(303)), 'changed');
  askApart(t);
  const cellOf = async () => {
    await refreshIndex(database, edition.facts, now());
    const rows = await database.read((transaction) =>
      readRows(transaction, [deposit], new Map(), { withPublication: true }),
    );
    async function* portions() {
      yield rows;
    }
    const [head = '', row = ''] = (await Readable.from(csvOf(edition, portions())).toArray())
      .join('')
      .split('\r\n');
    return row.split('","')[head.split('","').indexOf('Agrees to publication')];
  };
  assert.equal(await cellOf(), 'no');
  assert.match((await see(cookie, formPaths.publication).expect(200)).text, /name="agrees" value="on"/);
  await press(cookie, formPaths.publication, { agrees: 'on' }).expect(422);
  assert.equal((await find()).publication, undefined);
  for (const [sent, agrees] of [
    [{ agrees: 'on', proof: '0142' }, true],
    [{}, false],
  ] as const) {
    const { text } = await see(cookie).expect(200);
    assert.equal(/name="agrees" checked=""/.test(text), !agrees);
    assert.match(text, agrees ? /are not published\./ : /You agreed that your likeness/);
    for (let twice = 0; twice < 2; twice += 1)
      assert.equal(newsOf(await press(cookie, formPaths.publication, sent).expect(303)), 'publication-saved');
    assert.equal((await find()).publication?.agrees, agrees);
    assert.equal(await cellOf(), agrees ? 'yes' : 'no');
  }
  const words = timelineOf(await find(), []).map(({ what }) => what);
  assert.ok(words.includes('took her consent to publication back'));
  const { acts = [] } = (await payments.exportOf(deposit, now()))?.tables ?? {};
  const told = acts.filter(({ kind }) => kind === 'publication');
  assert.deepEqual(
    told.map(({ byWhom, facts }) => [byWhom, JSON.stringify(facts).includes('may be published')]),
    [
      ['the registrant', true],
      ['the registrant', true],
    ],
  );
});
