import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LetterName } from '#server/letters/table.ts';
import { recordBounce } from '#server/registration/bounces.ts';
import { createLinks } from '#server/registration/links.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { saidIn, startOffice } from '#server/testing/test-office.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';

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
    async mailOf(id: string, kind: LetterName) {
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
    assert.match((await preview(id, 'edit', pasted)).text, /say what to correct/);
    const phoneNumber = '+1 (555) 555–0142';
    await payments.ask(correctDetails, { id }, { phoneNumber }, 'Anna', now());
    for (const same of [phoneNumber, DETAILS.phoneNumber])
      assert.match(
        (await preview(id, 'edit', { ...DETAILS, phoneNumber: same })).text,
        /say what to correct/,
      );
  });

  test('a correction of her details shows the old and the new ones, and queues the letters that become due', async (t) => {
    const { register, preview, find, held, mailQueue, audited, payments, work } = await startOffice(t);
    const id = await register();
    const same = await preview(id, 'edit', DETAILS);
    assert.equal(same.status, 409);
    assert.match(same.text, /say what to correct/);
    const wrong = await preview(id, 'edit', { ...DETAILS, email: 'wilma@' });
    assert.match(wrong.text, /A valid email is required/);

    const heldBefore = await held();
    const typed = { ...DETAILS, lastName: '<i>Hart</i>', email: 'wilma@correct.example' };
    const shown = await preview(id, 'edit', typed);
    assert.deepEqual(shown.says, [
      ' Now Then',
      'Last name O’Hara <i>Hart</i>',
      'E-mail wilma@example.org wilma@correct.example',
      'A message tells the old address. Links in earlier messages no longer work.',
    ]);
    assert.ok(!shown.html.includes('<i>Hart'));
    assert.equal(shown.button, 'Correct her details');
    assert.deepEqual(await held(), heldBefore);
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(done.led?.text ?? '', /By Anna\./);
    assert.match(done.led?.text ?? '', /Earlier nameWilma O’Hara, until .*corrected by Anna/);
    assert.ok(!done.led?.html.includes('<i>Hart'));
    const { registrant, corrections } = await find(id);
    assert.deepEqual([registrant.lastName, registrant.email], ['<i>Hart</i>', 'wilma@correct.example']);
    assert.equal(corrections.email?.by, 'Anna');
    assert.equal((await findRegistration(payments, id))?.registrant.email, 'wilma@correct.example');
    await work();
    const jobs = await mailQueue.bullQueue.getJobs();
    assert.ok(jobs.some((job) => job.id?.startsWith(`address-changed-${id}`)));
    assert.equal((await shown.confirm()).status, 409);
    assert.deepEqual(audited, ['Anna edit: done', 'Anna edit: refused']);
  });

  test('a user of the office is shown a link that cannot act and is stored nowhere; it is in her timeline, and a letter tells her', async (t) => {
    const { register, preview, seeRegistration, held, config, now, audited, mailOf } = await startLinks(t);
    const id = await register();
    const links = createLinks(config.linkSecrets, config.publicUrl);
    const shown = await preview(id, 'look');
    assert.doesNotMatch(shown.text, /\/place\//);
    const done = await shown.confirm();
    assert.equal(done.status, 200);
    const [, token = ''] = /\/place\/(\S+)/.exec(saidIn(done.document).join('\n')) ?? [];
    const { subject, epoch, expiresAt } = links.read(token, now(), 'look') ?? assert.fail();
    assert.deepEqual([subject, epoch], [id, 0]);
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
    const { register, preview, find, audited, mailOf, payments, now } = await startLinks(t);
    const id = await register();
    const sent = await (await preview(id, 'link')).confirm();
    assert.match(sent.led?.text ?? '', /A message with the link goes to wilma@example\.org\./);
    const [letter] = await mailOf(id, 'place-link');
    assert.equal(letter?.address, 'wilma@example.org');

    const renewing = await preview(id, 'link', { renew: 'yes' });
    assert.match(renewing.says.join('\n'), /Older links no longer work/);
    assert.equal(renewing.button, 'Send her a new link and end the older ones');
    const renewed = await renewing.confirm();
    for (const page of [sent, renewed]) assert.doesNotMatch(`${page.html}${page.led?.html}`, /\/place\/v1/);
    assert.equal((await renewing.confirm()).status, 409);
    assert.equal((await find(id)).linksEpoch, 1);
    assert.deepEqual(audited, ['Anna link: done', 'Anna link: done', 'Anna link: changed']);

    const address = (await find(id)).registrant.email;
    await recordBounce(payments, { address, at: now() }, now());
    assert.match((await preview(id, 'link')).text, /Messages to her come back: correct her address first/);
    const unheard = await (await preview(id, 'link', { renew: 'yes' })).confirm();
    assert.match(unheard.led?.text ?? '', /No message goes out/);
    assert.equal((await find(id)).linksEpoch, 2);
  });

  test('only support can remove a registrant’s data', async (t) => {
    const office = await startOffice(t);
    const { register, preview, find, signIn, seeRegistration, seeForm, held, audited } = office;
    const id = await register();
    office.moveTo(OVER);
    const heldBefore = await held();
    for (const { status, text } of [
      await seeForm(id, 'forget'),
      await preview(id, 'forget', { step: 'confirm', seen: 'x' }),
    ]) {
      assert.equal(status, 403);
      assert.match(text, /Only support may do this\. Nothing was done\./);
    }
    assert.doesNotMatch((await seeRegistration(id)).text, /Remove her personal data/);
    assert.deepEqual(await held(), heldBefore);
    assert.equal(audited.filter((line) => line === 'Anna forget: refused').length, 2);

    signIn({ name: 'Sol', role: 'support' });
    assert.match((await seeRegistration(id)).text, /For support.*Remove her personal data/);
    const shown = await preview(id, 'forget');
    assert.equal(shown.button, 'Remove her personal data');
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(saidIn(done.led?.document ?? assert.fail()).join('\n'), /By Sol\.$/m);
    const { forgottenAt, registrant } = await find(id);
    assert.ok(forgottenAt);
    assert.deepEqual([registrant.firstName, registrant.email], ['', '']);
    assert.ok(audited.includes('Sol forget: done'));
  });
});
