import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import type { Database } from '#server/database/database.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import type { ActKind } from '#server/registration/act-kinds.ts';
import { recordBounce } from '#server/registration/bounces.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { decide, recordActs } from '#server/stripe/decide.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { act } from '#server/support/act-command.ts';
import { toldText } from '#server/support/terminal-text.ts';
import { give } from '#server/testing/give-command.ts';
import { DUE, daysAfter, recordReceived } from '#server/testing/test-charges.ts';
import type { MailingOptions } from '#server/testing/test-mailing.ts';
import { type Office, startOffice } from '#server/testing/test-office.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { formatCents } from '#shared/money.ts';
import { registrations } from './subjects.ts';

const { prices } = edition.facts;
const BALANCE = String(prices.balanceBeforeFeeCents / 100);
const EARLY = new Date('2025-12-02T20:00:00Z');

interface Row {
  /** Makes it possible; the deposit is paid. */
  before?(office: Office, id: string): Promise<unknown>;
  typed?: Record<string, string>;
  /** What is on record then. */
  recorded: RegExp;
  /** Nobody has paid the deposit yet. */
  isUnpaid?: true;
  /** It puts acts on record, and nothing else: all of its preview follows from them. */
  isForetold?: true;
}

const anna = ({ now }: Office) => ({ at: now(), by: 'Anna' });
const decided =
  (kind: ActKind, facts: object = {}): NonNullable<Row['before']> =>
  async (office, id) => {
    const { payments, find } = office;
    await payments.ask(recordActs, await find(id), [{ kind, facts, ...anna(office) }]);
  };
const settled: Row['before'] = async ({ tell, moveTo, charge }, id) => {
  await tell(id);
  moveTo(DUE);
  await charge(id);
};
const due: Row['before'] = async ({ tell, moveTo, sandbox, find, charge }, id) => {
  await tell(id);
  moveTo(DUE);
  sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'insufficient_funds');
  await charge(id);
};
const cancelledByCheck: Row['before'] = async (office, id) => {
  const { payments, find, now, moveTo } = office;
  const check = { ...anna(office), way: 'check', cents: prices.balanceBeforeFeeCents, on: now() } as const;
  await payments.ask(recordReceived, await find(id), check);
  await payments.ask(decide, await find(id), 'cancel', { ...anna(office), writtenAt: now() });
  moveTo(daysAfter(now(), 2));
  await payments.ask(makeDueRefunds, id, now());
};
const disputed: Row['before'] = async ({ stripe, sandbox, sync, depositOf }, id) => {
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(await depositOf(id));
  const dispute = sandbox.bank.openDispute(String(charge));
  await sync(id);
  sandbox.bank.closeDispute(dispute, 'won');
  await sync(id);
};
const planned = { parts: [{ number: 1, cents: prices.balanceBeforeFeeCents, dueAt: DUE }] };
const MARY = {
  firstName: 'Mary',
  lastName: 'Hart',
  email: 'mary@example.org',
  phoneNumber: '+1 (555) 555-0199',
};
const agreed = { agreed: 'phone', agreedOn: '2025-12-02' };

/** Each command about a registration. Whose are not here are tried with two places, below. */
const ROWS: Readonly<Record<string, Row>> = {
  hold: {
    isUnpaid: true,
    typed: { way: 'check', until: '2025-12-10', ...agreed },
    recorded: /holds her place until Dec 10/,
  },
  end: { isUnpaid: true, recorded: /./ },
  charge: { before: due, recorded: /has her card tried again/, isForetold: true },
  'pay-by-check': { recorded: /pays what is left by check/, isForetold: true },
  received: {
    typed: { way: 'check', dollars: BALANCE, on: '2025-12-02', number: '1042' },
    recorded: /check 1042 of \$700 came/,
    isForetold: true,
  },
  waive: { typed: { dollars: '200', as: 'scholarship' }, recorded: /scholarship of \$200/, isForetold: true },
  postpone: { typed: { day: '2026-01-05' }, recorded: /postponed the balance to Jan 5/, isForetold: true },
  plan: {
    typed: { parts: '2025-12-28\n2026-01-11' },
    recorded: /planned her payments.*\$350/,
    isForetold: true,
  },
  'plan-agreed': {
    before: decided('plan', planned),
    typed: agreed,
    recorded: /agreed to the payment plan/,
    isForetold: true,
  },
  undo: {
    before: decided('check'),
    typed: { what: 'check' },
    recorded: /took back: she pays/,
    isForetold: true,
  },
  cancel: { typed: { written: '2025-12-02' }, recorded: /she cancelled in writing/, isForetold: true },
  refund: {
    before: settled,
    typed: { dollars: '50.25', reason: 'illness' },
    recorded: /gives back \$50\.25/,
    isForetold: true,
  },
  'refund-by-check': {
    before: cancelledByCheck,
    typed: { dollars: BALANCE, sent: '2025-12-04' },
    recorded: /sent her a check of \$700/,
    isForetold: true,
  },
  'dispute-over': { before: disputed, recorded: /the dispute is over/, isForetold: true },
  note: {
    typed: { text: 'Comes by train', callBack: 'yes' },
    recorded: /note 1, to call her back: Comes by train/,
    isForetold: true,
  },
  'called-back': {
    before: decided('note', { text: 'Call', callBack: true }),
    recorded: /called her back/,
    isForetold: true,
  },
  edit: {
    typed: { ...MARY, firstName: 'Wilma', lastName: 'Hart' },
    recorded: /corrected the name, which was Wilma O’Hara/,
  },
  'hand-over': { typed: MARY, recorded: /hands the place over to Mary Hart/, isForetold: true },
  'hand-over-agreed': {
    before: decided('handOver', MARY),
    recorded: /agreed to handing the place over/,
    isForetold: true,
  },
  'address-works': {
    before: async ({ payments, find, now }, id) => {
      const address = (await find(id)).registrant.email;
      await recordBounce(payments, { address, at: now() }, now());
    },
    recorded: /her address works again/,
  },
  look: { recorded: /took a link that shows her page/ },
  link: { typed: { renew: 'yes' }, recorded: /./ },
  forget: {
    before: async ({ moveTo }) => moveTo(daysAfter(new Date(edition.facts.endsAt), 1)),
    recorded: /personal data were removed/,
  },
};
const OF_TWO = ['cancel-whole', 'two-people'];

async function startRow(
  t: TestContext,
  { before, isUnpaid, writesOnce }: Partial<Row> & Pick<MailingOptions, 'writesOnce'> = {},
) {
  const office = await startOffice(t, writesOnce ? { writesOnce } : {});
  const id = isUnpaid ? (await office.begin()).id : await office.register();
  office.moveTo(EARLY);
  await before?.(office, id);
  await office.find(id);
  office.signIn({ name: 'Anna', role: 'support' });
  return { ...office, id };
}

describe('each command of the table', () => {
  test('has a row here', () => {
    const tried = [...Object.keys(ROWS), ...OF_TWO];
    assert.deepEqual(tried.toSorted(), registrations.commands.map(({ id }) => id).toSorted());
  });

  for (const [kind, row] of Object.entries(ROWS))
    test(`${kind}: is shown without a change, done once, and refused where it is out of date`, async (t) => {
      const office = await startRow(t, row);
      const { id, context, held, payments, preview, see } = office;
      const { typed = {} } = row;
      const fields = Object.entries(typed).map(([name, value]) => `${name}=${value}`);
      const record = async () => (await findRegistration(payments, id)) ?? assert.fail(id);
      const [before, heldBefore] = [await record(), await held()];

      const shown = await preview(id, kind, typed);
      assert.equal(shown.status, 200, shown.text);
      const told = await act(context, id, { kind, fields, by: 'Anna', isTried: true });
      const terminal = typeof told === 'string' ? told : toldText(told);
      for (const said of shown.says.filter((one) => !one.includes('Now'))) {
        const words = said
          .replaceAll('\u00a0', ' ')
          .split(/\s+/)
          .filter((word) => !/^\d\d:\d\d/.test(word));
        for (const word of words)
          assert.ok(terminal.replaceAll('\u00a0', ' ').includes(word), `${word}: ${terminal}`);
      }
      assert.deepEqual([await record(), await held()], [before, heldBefore]);

      // Somebody else did something meanwhile.
      const stale = await preview(id, kind, typed);
      const isNote = kind === 'note' || kind === 'called-back';
      await give(
        context,
        id,
        isNote ? 'waive' : 'note',
        isNote ? { dollars: '5', as: 'reduction' } : { text: 'Hello' },
      );
      const known = await record();
      const late = await stale.confirm();
      assert.equal(late.status, 409, late.text);
      assert.match(late.text, /Something has changed meanwhile. Nothing was done/);
      assert.deepEqual(await record(), known);

      const next = await preview(id, kind, typed);
      const done = await next.confirm();
      assert.ok(done.status === 303 || kind === 'look', `${done.status} ${done.text}`);
      const after = await record();
      const timeline = (await see(`/office/registrations/${id}`)).text;
      assert.match(timeline, row.recorded);
      if (row.isForetold) assertForetold(next.document, after, office.now());
      assert.ok([409, 422].includes((await next.confirm()).status));
      assert.deepEqual((await record()).acts.length, after.acts.length);
    });

  test('is refused to a user without its role', async (t) => {
    const { id, seeForm, signIn, audited } = await startRow(t);
    signIn({ name: 'Olga', role: 'office' });
    assert.equal((await seeForm(id, 'forget')).status, 403);
    assert.deepEqual(audited, ['Olga forget: refused']);
  });

  for (const kind of OF_TWO)
    test(`${kind}: of two places of one person`, async (t) => {
      const office = await startOffice(t);
      const { first, second } = await office.registerTwice();
      const { context, find } = office;
      await give(context, second, kind);
      const { decisions, paidTwice } = await find(second);
      assert.equal(paidTwice, undefined);
      assert.ok(kind === 'two-people' ? decisions.twoPeople : decisions.cancel?.whole);
      assert.equal((await find(first)).paidTwice === undefined, kind === 'two-people');
    });

  test('a note: one transaction of four statements, and nothing asked of Stripe', async (t) => {
    const { id, payments, find, now } = await startRow(t, { writesOnce: true });
    const record = await find(id);
    let count = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        count += 1;
        return result;
      },
    };
    await payments.ask(({ stripe, database, ...records }) => {
      const counting: Pick<Database, 'write'> = {
        write: (work) => database.write((transaction) => work(transaction.withPlugin(counter))),
      };
      const unasked = new Proxy(stripe, { get: () => assert.fail('Stripe is asked') });
      const note = { kind: 'note', at: now(), by: 'Anna', facts: { text: 'Hello' } } as const;
      return recordActs({ ...records, stripe: unasked, database: { ...database, ...counting } }, record, [
        note,
      ]);
    });
    assert.equal(count, 4);
  });
});

/** What the preview said of state and money is how it stands once it is done. */
function assertForetold(document: Document, record: Parameters<typeof moneyLines>[0], now: Date): void {
  const rows = [...document.querySelectorAll('.act-preview tbody tr')].map((row) =>
    [...row.children].map((cell) => (cell.textContent ?? '').replaceAll('\u00a0', ' ')),
  );
  const then = new Map(
    rows.filter((row) => row.length === 3).map(([name = '', , said = '']) => [name, said]),
  );
  const next = then.get('What comes next');
  if (next !== undefined) assert.equal(next, standingOf(record, now).join(' ').replaceAll('\u00a0', ' '));
  const sums = new Map(
    moneyLines(record, now).map(({ what, how, cents }) => [`${what}, ${how}`, formatCents(cents)]),
  );
  for (const [name, said] of then)
    if (name.includes(', ') && said !== '' && !name.startsWith('What'))
      assert.ok(
        [...sums].some(([line, sum]) => line.replaceAll('\u00a0', ' ') === name && said.includes(sum)),
        `${name} ${said}`,
      );
}
