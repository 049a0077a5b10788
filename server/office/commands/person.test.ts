import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LetterName } from '#server/letters/table.ts';
import { recordBounce } from '#server/registration/registration.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { CONTACT_FIELDS } from '#shared/registration.ts';
import { personCommands } from './person-commands.ts';

const { package: _, ...WILMA } = contactStep;

/** A registrant who has paid her deposit, and the letters of a kind that are owed or sent to her. */
async function startPerson(t: TestContext) {
  const office = await startOffice(t);
  const { payments, now, work, letterLog } = office;
  const id = await office.register();
  return {
    ...office,
    id,
    bounces: () => recordBounce(payments, { address: WILMA.email, at: now() }, now()),
    async mailOf(kind: LetterName) {
      await work();
      return (await letterLog.about(id)).filter((letter) => letter.kind === kind);
    },
  };
}

describe('the details of a registrant', () => {
  // A field that the form leaves out would be emptied by each correction.
  test('are asked for whole, each beginning with what is on record', () => {
    const fields = personCommands.find(({ id }) => id === 'edit')?.fields ?? {};
    assert.deepEqual(Object.keys(fields), CONTACT_FIELDS);
    for (const { label, initial } of Object.values(fields)) assert.ok(label && initial);
  });

  test('are the same where they are typed in another way, also where they are stored so', async (t) => {
    const { id, preview, payments, now } = await startPerson(t);
    const pasted = { ...WILMA, lastName: '\u202aO’Hara\u202c', email: 'mailto:\u200bwilma＠example.org' };
    assert.match((await preview(id, 'edit', pasted)).text, /say what to correct/);
    const phoneNumber = '+1 (555) 555–0142';
    await payments.ask(correctDetails, { id }, { phoneNumber }, 'Anna', now());
    for (const same of [phoneNumber, WILMA.phoneNumber])
      assert.match((await preview(id, 'edit', { ...WILMA, phoneNumber: same })).text, /say what to correct/);
  });

  test('are shown as they are and will be, and another address owes the old one a letter', async (t) => {
    const { id, preview, mailOf } = await startPerson(t);
    const email = 'wilma@correct.example';
    const shown = await preview(id, 'edit', { ...WILMA, lastName: 'Hart', email });
    assert.deepEqual(shown.says, [
      'What Now Then',
      `Last name ${WILMA.lastName} Hart`,
      `E-mail ${WILMA.email} ${email}`,
      'A message tells the old address. Links in earlier messages no longer work.',
    ]);
    const { led } = await shown.confirm();
    assert.match(led?.text ?? '', /Anna: corrected the name, which was Wilma O’Hara/);
    assert.equal((await mailOf('address-changed'))[0]?.address, WILMA.email);
  });
});

describe('the page of a registrant', () => {
  test('is opened by a link that goes to her mailbox alone; a new one ends the older ones', async (t) => {
    const { id, preview, find, mailOf, bounces } = await startPerson(t);
    const shown = await preview(id, 'link', { step: 'preview' });
    const sent = await shown.confirm();
    assert.match(sent.text, /A message with the link goes to wilma@example\.org\./);
    const [letter, ...others] = await mailOf('place-link');
    assert.deepEqual([letter?.address, others], [WILMA.email, []]);
    const renewed = await (await preview(id, 'link', { renew: 'yes' })).confirm();
    for (const page of [sent, renewed]) assert.doesNotMatch(`${page.html}${page.led?.html}`, /\/place\/v1/);
    await bounces();
    const back = await preview(id, 'link', { step: 'preview' });
    assert.match(back.text, /Messages to her come back: correct her address first/);
    const unheard = await (await preview(id, 'link', { renew: 'yes' })).confirm();
    assert.match(unheard.text, /No message goes out/);
    assert.equal((await find(id)).linksEpoch, 2);
  });
});
