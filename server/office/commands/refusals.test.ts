import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { act } from '#server/office/terminal/act-command.ts';
import { DUE, daysAfter, recordSent } from '#server/testing/test-charges.ts';
import { startCommands } from '#server/testing/test-commands.ts';
import { textOf } from '#server/testing/test-database.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';
import type { RefusalReason, Typed } from './command.ts';

type Office = Awaited<ReturnType<typeof startCommands>>;
type Refused = readonly [command: string, typed: Typed, sentence: RegExp, reason?: RefusalReason];

const { depositCents, balanceCents, depositBeforeFeeCents, balanceBeforeFeeCents } = edition.facts.prices;
const tuition = depositBeforeFeeCents + balanceBeforeFeeCents;
const dollars = (cents: number): string => String(cents / 100);
const words = (cents: number): string => formatCents(cents).replace('$', '\\$');
const check = (on: string): Typed => ({ way: 'check', dollars: dollars(balanceBeforeFeeCents), on });
const BOB = { firstName: 'Bob', lastName: 'Roe', email: 'bob@example.org', phoneNumber: '+1 310 555 0100' };
const PARTS = '2025-12-11 300\n2025-12-21 250\n2026-01-10 150';
const THREE_DAYS = /She is told three days before/;

interface Situation {
  arrange(office: Office): Promise<unknown>;
  refused: readonly Refused[];
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'her deposit is paid': {
    arrange: async ({ moveTo }) => moveTo(new Date('2025-12-07T20:00:00Z')),
    refused: [
      ['cancel', { written: '2025-12-11T09:00' }, /She cannot have written in the future/],
      ['cancel', { written: '2025-11-30T09:00' }, /She registered later, on Dec 1, 2025/],
      ['cancel', { written: '' }, /Please give a day and a time/, 'wrongUsage'],
      ['undo', { what: 'cancel' }, /Nothing is on record that could be taken back/],
      ['received', check('2025-12-11'), /It cannot have come in the future/],
      ['received', check('0025-12-01'), /She registered later, on Dec 1, 2025/],
      [
        'received',
        { ...check('2025-12-01'), dollars: '0' },
        /The amount must be more than \$0/,
        'wrongUsage',
      ],
      [
        'waive',
        { dollars: dollars(tuition + 1), as: 'reduction' },
        new RegExp(`No more than the tuition of ${words(tuition)} can be waived`),
      ],
      [
        'waive',
        { dollars: dollars(balanceBeforeFeeCents - 30), as: 'reduction' },
        /Less than 50 cents would be left/,
      ],
      ['waive', { dollars: '5' }, /Please choose what it is/, 'wrongUsage'],
      ['postpone', { day: '2025-12-21' }, /The balance is due Dec 21, 2025, 5:00 PM PST: name a later day/],
      ['postpone', { day: '2025-12-06' }, /2025-12-06 is past/],
      ['postpone', { day: '2026-01-26' }, /The retreat is over by then/],
      ['postpone', { day: 'soon' }, /Please give a day, such as/, 'wrongUsage'],
      [
        'refund',
        { dollars: dollars(depositCents + 1), reason: 'ill' },
        /That is more than is left of her payments by card/,
      ],
      ['refund', { dollars: '5', reason: 'ill' }, /That is more than she has paid beyond what she owes/],
      ['refund', { dollars: '5', reason: ' ' }, /Please say why it is given back/, 'wrongUsage'],
      [
        'refund',
        { dollars: '5', reason: 'x'.repeat(201) },
        /Please use 200 characters at most/,
        'wrongUsage',
      ],
      ['refund-by-check', {}, /No check is owed to her: to give something back, decide on an exception/],
      ['charge', {}, /A card is charged once the balance is due/],
      ['dispute-over', {}, /No dispute holds anything up/],
      ['address-works', {}, /No message to her present address came back: correct it if it is wrong/],
      ['two-people', {}, /Nobody else with this name and address has a place/],
      ['hold', {}, /A place is held for somebody who has not paid the deposit yet/],
      ['end', {}, /Only a registration that is not paid is ended so/],
      ['note', { text: ' \n ' }, /Please write the note/, 'wrongUsage'],
      ['note', { text: 'x'.repeat(1_001) }, /1,000 characters at most/, 'wrongUsage'],
      ['edit', {}, /Nothing is different: say what to correct/],
      ['edit', { email: 'wilma@' }, /A valid email is required/, 'wrongUsage'],
      ['edit', { phone: '1' }, /edit has no field phone: it takes firstName/, 'wrongUsage'],
      ['hand-over', { ...BOB, email: 'Wilma@example.org' }, /the other one needs an address of her own/],
      ['hand-over-agreed', {}, /Nothing waits for her to agree/],
      ['plan-agreed', {}, /No payment plan was made: make one first/],
      ['plan', { parts: '2025-12-11' }, /A plan has 2 to 4 parts; this one has 1\./],
      ['plan', { parts: [11, 12, 13, 14, 15].map((on) => `2025-12-${on}`).join() }, /this one has 5\./],
      [
        'plan',
        { parts: '2025-12-11 300, 2025-12-21 300' },
        /\$700 is left to pay.*, and these parts are \$600/,
      ],
      ['plan', { parts: '2025-12-11 300, 2025-12-21 500' }, /these parts are \$800/],
      ['plan', { parts: '2025-12-21, 2025-12-12' }, /Each part has a later day than the one before it/],
      ['plan', { parts: '2025-12-12, 2026-01-22' }, /The retreat begins on 2026-01-22/],
      ['plan', { parts: '2025-12-09, 2025-12-21' }, THREE_DAYS],
      ['plan', { parts: '2025-12-12 0.30, 2025-12-21' }, /No card can pay a part that is so small/],
      ['forget', {}, /she has a place/],
      ['sing', {}, /has no act sing: it is one of received, pay-by-check/, 'wrongUsage'],
    ],
  },
  'she pays by a plan': {
    async arrange({ give }) {
      await give('plan', { parts: PARTS });
    },
    refused: [
      ['plan-agreed', { agreed: 'phone', agreedOn: '2025-12-02' }, /cannot have agreed in the future/],
      ['postpone', { day: '2026-01-05' }, /She pays by a plan: give its parts other days/],
    ],
  },
  'she pays by check': {
    arrange: ({ give }) => give('pay-by-check'),
    refused: [['plan', { parts: PARTS }, /She pays what is left by check: take that back first/]],
  },
  'her cancellation waits': {
    arrange: ({ give }) => give('cancel', { written: '2025-12-01T09:00' }),
    refused: [
      ['forget', {}, /money is still under way/],
      [
        'cancel',
        { written: '2025-12-01T09:00' },
        /Only who has paid the deposit and has not cancelled can cancel/,
      ],
      ['waive', { dollars: '200', as: 'reduction' }, /This is decided after the deposit is paid/],
      ['received', check('2025-12-01'), /is recorded while she has a place, or one is held for her/],
      ['pay-by-check', {}, /This is decided after the deposit is paid/],
      ['postpone', { day: '2026-01-05' }, /This is decided after the deposit is paid/],
      ['refund', { dollars: '5', reason: 'ill' }, /not while a cancellation waits to be carried out/],
      ['hand-over', BOB, /Only a place that is paid for and not cancelled can be handed over/],
    ],
  },
  'her cancellation was carried out': {
    async arrange({ give, workOff }) {
      await give('cancel', { written: '2025-12-01T09:00' });
      await workOff(26);
    },
    refused: [['undo', { what: 'cancel' }, /Nothing is on record that could be taken back/]],
  },
  'she has paid all': {
    async arrange({ settle }) {
      await settle();
    },
    refused: [
      [
        'refund',
        { dollars: dollars(depositCents + balanceCents + 1), reason: 'ill' },
        /That is more than is left of her payments by card/,
      ],
      ['pay-by-check', {}, /while something is left to pay/],
      ['charge', {}, /while something is left to pay/],
    ],
  },
  'the balance is due and she was not told of it': {
    arrange: async ({ moveTo }) => moveTo(DUE),
    refused: [
      ['charge', {}, /Her card cannot be charged: she was not told of it three days before/],
      ['postpone', { day: '2025-12-24' }, /name a day after Dec 25, 2025, 5:00 PM PST/],
    ],
  },
  'a check is owed to her since today': {
    async arrange({ check, give, moveTo, workOff }) {
      moveTo(new Date('2025-12-12T20:00:00Z'));
      await check(balanceBeforeFeeCents / 100, '2025-12-11');
      await give('cancel', { written: '2025-12-12T12:00' });
      await workOff(26);
    },
    refused: [
      [
        'refund-by-check',
        { dollars: `${dollars(balanceBeforeFeeCents)}.01`, sent: '2025-12-13' },
        /\$700 is owed to her by check, not \$700\.01/,
      ],
      [
        'refund-by-check',
        { dollars: dollars(balanceBeforeFeeCents), sent: '2025-12-14' },
        /cannot have been sent in the future/,
      ],
      [
        'refund-by-check',
        { dollars: dollars(balanceBeforeFeeCents), sent: '2025-12-12' },
        /It was not owed before Dec 13, 2025/,
      ],
    ],
  },
  'she disputes a charge': {
    arrange: ({ dispute }) => dispute('deposit'),
    refused: [
      ['refund', { dollars: '5', reason: 'illness' }, /She disputes a charge: nothing is given back/],
      ['forget', {}, /she disputes a charge/],
      ['dispute-over', {}, /has not decided yet: The deposit: \$721 disputed on .*, needs response/],
    ],
  },
  'her card is stolen': {
    async arrange({ tell, id, moveTo, decline }) {
      await tell(id);
      moveTo(DUE);
      await decline('stolen_card');
    },
    refused: [
      ['charge', {}, /Her card was refused for good \(stolen_card\): she can pay, or give another card/],
    ],
  },
  'her place is being handed over': {
    arrange: ({ give }) => give('hand-over', BOB),
    refused: [['hand-over', BOB, /It is being handed over already: take that back first/]],
  },
  'it is too late to hand a place over': {
    arrange: async ({ moveTo }) => moveTo(new Date(edition.facts.handOverUntil ?? DUE)),
    refused: [['hand-over', BOB, /A place could be handed over until Dec 22, 2025.*no way around that/]],
  },
};

describe('a command that is not possible says why, and does nothing', () => {
  for (const [situation, { arrange, refused }] of Object.entries(SITUATIONS))
    test(`while ${situation}`, async (t) => {
      const office = await startCommands(t);
      await arrange(office);
      await office.find();
      const before = await textOf(office.database);
      for (const [command, typed, sentence, reason] of refused)
        await office.refuses(command, typed, sentence, reason);
      assert.equal(await textOf(office.database), before);
    });

  test('but a check that was recorded before is only pointed out', async (t) => {
    const { give, tries } = await startCommands(t);
    const received = { ...check('2025-12-01'), number: '7' };
    await give('received', received);
    const said = /^Please look: a check 7 of \$700 was recorded before, by Anna.*This is one more\.$/m;
    assert.match(await tries('received', received), said);
  });

  test('while no place is free, unless that is said', async (t) => {
    limitPlaces(t, 1);
    const { context, admission } = await startCommands(t);
    const id = await admission.waitingList.join({ contact: BOB, timeZone: '', facts: edition.facts });
    const offer = (fields: readonly string[]) =>
      act(context, id, { kind: 'offer', fields, by: 'Anna', isTried: true });
    await assert.rejects(offer([]), { message: /She has not confirmed yet/ });
    await admission.waitingList.confirm(id);
    await assert.rejects(offer([]), { message: /No place is free/ });
    const told = await offer(['exceed=yes']);
    assert.ok(
      typeof told !== 'string' && told.says.some((said) => /one more than planned/.test(String(said))),
    );
  });

  test('while what a message says does not apply any more', async (t) => {
    const { context, give, id, payments, letterLog, moveTo, now } = await startCommands(t);
    await give('cancel', { written: '2025-12-01T09:00' });
    const letter = (await findMail(payments, id, 'cancel-received', now())) ?? assert.fail();
    await recordSent(letterLog, letter, now());
    moveTo(daysAfter(now(), 0.5));
    await give('undo', { what: 'cancel' });
    const resent = act(context, letter.id, { kind: 'resend', fields: [], by: 'Anna', isTried: false });
    await assert.rejects(resent, /What it says does not apply any more/);
  });

  test('about what is not there', async (t) => {
    const { context } = await startCommands(t);
    for (const [id, message] of [
      ['reg_none', 'There is no registration reg_none.'],
      ['waiting_none', 'There is no entry waiting_none on the waiting list.'],
      ['welcome-none', 'There is no message welcome-none.'],
    ] as const) {
      const kind = id.startsWith('reg') ? 'charge' : id.startsWith('waiting') ? 'remove' : 'retry';
      const refused = act(context, id, { kind, fields: [], by: 'Anna', isTried: true });
      await assert.rejects(refused, { message, reason: 'notFound' });
    }
  });
});
