import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readActs } from '#server/registration/acts.ts';
import { decide } from '#server/stripe/decide.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { type Office, saidIn, startOffice } from '#server/testing/test-office.ts';

/** The day after the deposit, and half a day after the balance was charged. */
const EARLY = new Date('2025-12-02T20:00:00Z');
const CHARGED = daysAfter(DUE, 0.5);

interface Case {
  act: string;
  /** What has happened before. */
  before?: (office: Office, id: string) => Promise<unknown>;
  typed?: Record<string, string>;
  says: RegExp;
  button: string;
  /** What the page says afterwards. */
  after: RegExp;
}

async function decline({ sandbox, find, tell, moveTo, charge }: Office, id: string): Promise<void> {
  await tell(id);
  moveTo(DUE);
  sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'insufficient_funds');
  await charge(id);
}

async function settle({ tell, moveTo, charge }: Office, id: string): Promise<void> {
  await tell(id);
  moveTo(DUE);
  await charge(id);
}

const anna = (office: Office) => ({ at: office.now(), by: 'Anna' });

const CASES: Readonly<Record<string, Case>> = {
  'charges her card': {
    act: 'charge',
    before: decline,
    says: /The site charges \$726\.25 to her Visa ending in 4242 now\./,
    button: 'Charge $726.25 to her card now',
    after: /Anna: asked for her card to be tried again/,
  },
  'records that her check has come': {
    act: 'received',
    typed: { way: 'check', dollars: '700', on: '2025-12-01', 'on-time': '17:30', number: '1042' },
    says: /Her check 1042 of \$700 came on Dec 1, 2025, 5:30 PM PST\.[\s\S]*Nothing is left to pay\./,
    button: 'Record her check 1042 of $700',
    after: /She has a place, and everything is paid\..*by check 1042, which came on Dec 1, 2025, 5:30 PM PST/,
  },
  'waives a part': {
    act: 'waive',
    typed: { dollars: ' $200 ', as: 'scholarship', reason: 'low income' },
    says: /The balance is \$518\.75 by card\.[\s\S]*scholarship -\$200[\s\S]*In all \$518\.75/,
    button: 'Take $200 off her tuition',
    after: /Scholarshipby Anna on .*\$200/,
  },
  'cancels, and says what comes back': {
    act: 'cancel',
    before: settle,
    typed: { written: '2025-12-20' },
    says: /She cancels as of Dec 20, 2025, 12:00 AM PST[\s\S]*In all \$726\.25[\s\S]*\$726\.25 goes back to her card/,
    button: 'Cancel her registration and give back $726.25',
    after: /She has cancelled as of Dec 20, 2025, 12:00 AM PST\..*Take back her cancellation/,
  },
  'gives something back as an exception': {
    act: 'refund',
    before: settle,
    typed: { dollars: '50.25', reason: 'She was ill <b>& alone</b>' },
    says: /\$50\.25 goes back to her card as soon as the site gets to it, as an exception\.[\s\S]*In all \$50\.25/,
    button: 'Give $50.25 back to her card',
    after: /Exceptiondecided by Anna on .*not carried out yet: She was ill <b>& alone<\/b>-\$50\.25/,
  },
};

/** What a field of a form holds. */
function typedIn(document: Document, name: string): string | null | undefined {
  const chosen = document.querySelector(`select[name="${name}"] option[selected]`);
  return (chosen ?? document.querySelector(`[name="${name}"]`))?.getAttribute('value');
}

/** An office at which somebody has paid her deposit. */
async function startPaid(t: TestContext) {
  const office = await startOffice(t);
  const id = await office.register();
  office.moveTo(EARLY);
  return { ...office, id };
}

describe('the office decides about money with forms', () => {
  for (const [what, { act, before, typed = {}, says, button, after }] of Object.entries(CASES)) {
    test(`${what}: shown in a preview, done once, recorded with the name of who did it`, async (t) => {
      const office = await startPaid(t);
      const { id, held, audited } = office;
      await before?.(office, id);
      const heldBefore = await held();
      const form = await office.seeForm(id, act);
      assert.equal(form.status, 200, form.text);
      const shown = await office.preview(id, act, typed);
      assert.equal(shown.status, 200, shown.text);
      assert.match(shown.says.join('\n'), says);
      assert.equal(shown.button.replaceAll('\u00a0', ' '), button);
      assert.deepEqual(await held(), heldBefore);
      assert.deepEqual(audited, []);

      const done = await shown.confirm();
      assert.equal(done.status, 303, done.text);
      const page = done.led ?? assert.fail();
      const told = saidIn(page.document).join('\n');
      for (const sentence of shown.says) assert.ok(told.includes(sentence), `${sentence}\n${told}`);
      assert.match(told, /By Anna\.$/m);
      assert.match(page.text.replaceAll('\n', ' '), after);
      const acts = await office.database.read((transaction) => readActs(transaction, id));
      assert.equal(acts.at(-1)?.byWhom, 'Anna');
      assert.deepEqual(audited, [`Anna ${act}: done`]);

      const heldAfter = await held();
      const again = await shown.confirm();
      assert.equal(again.status, 409, again.text);
      assert.match(again.text, /[Nn]othing was done/);
      assert.deepEqual(await held(), heldAfter);
    });
  }

  test('when something has changed meanwhile nothing is done, and the new result is shown', async (t) => {
    const office = await startPaid(t);
    const { id, preview, find, payments, audited } = office;
    await settle(office, id);
    const shown = await preview(id, 'cancel', { written: '2025-12-20' });
    await payments.ask(decide, await find(id), 'refund', {
      ...anna(office),
      cents: 10_000,
      reason: 'illness',
    });
    office.moveTo(CHARGED);
    await payments.ask(makeDueRefunds, id, office.now());
    const changed = await shown.confirm();
    assert.equal(changed.status, 409);
    assert.match(changed.text, /Something has changed meanwhile\. Nothing was done\./);
    assert.match(changed.html, /Cancel her registration and give back \$626\.25/);
    assert.equal((await find(id)).decisions.cancel, undefined);
    assert.deepEqual(audited, ['Anna cancel: changed']);
  });

  test('what the ledger refuses is refused with its sentence, in the preview and at the press', async (t) => {
    const office = await startPaid(t);
    const { id, preview, find, database, audited } = office;
    await decline(office, id);
    const waiver = { dollars: '200', as: 'reduction', reason: '' };
    const shown = await preview(id, 'waive', waiver);
    assert.equal(shown.status, 200);
    await database.write((transaction) =>
      transaction.updateTable('attempts').set({ endedAt: null }).where('registration', '=', id).execute(),
    );
    const why = /A card is being charged for it at this moment: try again in a few minutes\./;
    for (const refused of [await preview(id, 'waive', waiver), await shown.confirm()]) {
      assert.equal(refused.status, 409);
      assert.match(refused.text, why);
    }
    assert.equal((await find(id)).decisions.waived, undefined);
    assert.deepEqual(audited, ['Anna waive: refused']);
  });

  test('an error is shown beside its field, a refusal with its reason, and what was typed stays', async (t) => {
    const { id, preview, held } = await startPaid(t);
    const heldBefore = await held();
    for (const [act, typed, words] of [
      ['cancel', { written: '' }, /Please give a day, or a day and a time/],
      ['waive', { dollars: 'two', as: 'reduction' }, /Please give an amount such as 200, 187\.50 or 1,395/],
      ['postpone', { day: 'soon' }, /Please give a day, such as/],
      ['refund', { dollars: '5', reason: ' ' }, /Please say why it is given back/],
      ['refund', { dollars: '5', reason: 'x'.repeat(201) }, /Please use 200 characters at most/],
      ['cancel', { written: '2025-12-24' }, /She cannot have written in the future/],
      ['refund', { dollars: '5', reason: 'ill' }, /That is more than she has paid beyond what she owes/],
    ] as const) {
      const { status, text, document } = await preview(id, act, typed);
      const [wrong] = document.querySelectorAll('[aria-invalid]');
      const told = wrong?.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '';
      assert.ok(status === 422 || (status === 409 && !wrong), `${act} ${status}`);
      assert.match(wrong ? (document.getElementById(told)?.textContent ?? '') : text, words);
      for (const [name, value] of Object.entries(typed)) assert.equal(typedIn(document, name), value, name);
    }
    const { status, text } = await preview(id, 'charge');
    assert.equal(status, 409);
    assert.match(text, /not possible now, and nothing was done\. A card is charged once the balance is due/);
    assert.deepEqual(await held(), heldBefore);
  });
});
