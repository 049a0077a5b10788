import { randomUUID } from 'node:crypto';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type {
  ActRow,
  DueRow,
  LetterRow,
  PaymentRow,
  RefundRow,
  RegistrationRow,
} from '#server/database/schema.ts';
import type { MailKind, RegistrationMail } from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import { BALANCE_MARKS } from '#server/payments/balance-payment.ts';
import { lettersOwed } from '#server/payments/deposit-letters.ts';
import { ACTS, readAllOnRecord } from '#server/payments/on-record.ts';
import { settlePlaces } from '#server/payments/record-payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { personColumns, UNTOUCHED } from '#server/payments/registrations.ts';

interface Rows {
  registrations: RegistrationRow[];
  payments: PaymentRow[];
  refunds: RefundRow[];
  acts: ActRow[];
  dues: DueRow[];
  letters: LetterRow[];
}

/** How many registrations, and how many rows of a table, one statement takes. */
const AT_ONCE = 500;

/** Writes registrations into a register as if they had happened; those of the same deposits are replaced. */
export async function putOnRecord(database: Database, records: readonly RegistrationRecord[]): Promise<void> {
  await database.write(async (transaction) => {
    for (let at = 0; at < records.length; at += AT_ONCE) {
      const some = records.slice(at, at + AT_ONCE);
      await remove(transaction, some);
      const rows: Rows = { registrations: [], payments: [], refunds: [], acts: [], dues: [], letters: [] };
      for (const record of some) addRows(rows, record);
      const into = {
        registrations: (rows: readonly RegistrationRow[]) =>
          transaction.insertInto('registrations').values(rows).execute(),
        payments: (rows: readonly PaymentRow[]) => transaction.insertInto('payments').values(rows).execute(),
        refunds: (rows: readonly RefundRow[]) => transaction.insertInto('refunds').values(rows).execute(),
        acts: (rows: readonly ActRow[]) => transaction.insertInto('acts').values(rows).execute(),
        dues: (rows: readonly DueRow[]) => transaction.insertInto('dues').values(rows).execute(),
        letters: (rows: readonly LetterRow[]) => transaction.insertInto('letters').values(rows).execute(),
      };
      await inParts(rows.registrations, into.registrations);
      await inParts(rows.payments, into.payments);
      await inParts(rows.refunds, into.refunds);
      await inParts(rows.acts, into.acts);
      await inParts(rows.dues, into.dues);
      await inParts(rows.letters, into.letters);
      const deposits = some.map(({ id }) => id);
      await inParts(await sentLetters(transaction, some, deposits), into.letters);
      await settlePlaces(transaction, deposits);
      await noteChange(transaction, ...deposits);
    }
  });
}

async function remove(transaction: Transaction, records: readonly RegistrationRecord[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  const payments = records.flatMap(({ id, balance }) => [id, ...(balance ? [balance.id] : [])]);
  await transaction.deleteFrom('refunds').where('payment', 'in', payments).execute();
  await transaction.deleteFrom('payments').where('registration', 'in', ids).execute();
  await transaction.deleteFrom('dues').where('registration', 'in', ids).execute();
  await transaction.deleteFrom('letters').where('subject', 'in', ids).execute();
  await transaction.deleteFrom('acts').where('subject', 'in', ids).execute();
  await transaction.deleteFrom('registrations').where('deposit', 'in', ids).execute();
}

/** Inserts rows some at a time: a statement takes only so many values. */
async function inParts<Row>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE) await insert(rows.slice(at, at + AT_ONCE));
}

function addRows(rows: Rows, record: RegistrationRecord): void {
  const { id, edition, begunAt, registrant, customerId, offer, linksEpoch, addressAsked, forgottenAt } =
    record;
  rows.registrations.push({
    ...{ id: `registration of ${id}`, edition: edition.facts.id, begunAt: begunAt.toISOString() },
    ...{ ...personColumns(registrant), begunWith: '', addressHasPlace: 0, somebodyElse: 1 },
    ...UNTOUCHED,
    ...{ waiting: offer ?? null, customer: customerId ?? null, deposit: id, standing: 'open' },
    ...{ heldUntil: new Date(0).toISOString(), linksEpoch, forgottenAt: forgottenAt?.toISOString() ?? null },
    ...{ askedAddress: addressAsked?.to ?? null, askedAt: addressAsked?.at.toISOString() ?? null },
  });
  rows.payments.push(depositRow(record));
  const { balance, refunds, agreed } = record;
  if (balance) rows.payments.push(balanceRow(record, balance));
  for (const { id: refund, of, cents, status, at, order } of refunds) {
    const payment = of === 'deposit' ? id : (balance?.id ?? '');
    const row: RefundRow = {
      id: refund,
      payment,
      cents,
      status,
      at: at.toISOString(),
      ordered: order ?? null,
    };
    rows.refunds.push(row);
  }
  const acts = actsOf(record);
  rows.acts.push(...acts);
  const consent = acts.find(({ kind }) => kind === ACTS.consent);
  if (agreed && consent) {
    const { prices, balance: rules } = agreed;
    rows.dues.push({
      ...({ id: randomUUID(), registration: id, name: 'balance', agreedIn: consent.id } as const),
      ...{ beforeFeeCents: prices.balanceBeforeFeeCents, cardFeePerMille: prices.cardFeePerMille },
      ...{ chargeAt: rules.chargeAt, lateDays: rules.lateDays, refundsEndAt: rules.refundsEndAt },
      feeRefundable: rules.feeRefundable ? 1 : 0,
    });
  }
  rows.letters.push(...endedRows(record));
}

function depositRow(record: RegistrationRecord): PaymentRow {
  const { id, deposit, depositCents, paidAt, begunAt, card, depositCard, disputed } = record;
  const { since: _, ...charged } = card ?? { since: undefined };
  const paidWith = card ? charged : depositCard;
  return {
    ...paymentRow(record, id, 'deposit'),
    status: deposit === 'paid' ? 'paid' : deposit === 'closed' ? 'cancelled' : 'open',
    cents: depositCents,
    madeAt: begunAt.toISOString(),
    ...(deposit === 'paid' && { paidAt: (paidAt ?? begunAt).toISOString() }),
    disputed: disputed ? 1 : 0,
    card: paidWith ? JSON.stringify(paidWith) : null,
  };
}

function balanceRow(
  record: RegistrationRecord,
  balance: NonNullable<RegistrationRecord['balance']>,
): PaymentRow {
  const { id, status, cents, tries, decline, payingSince, beforeFeeCents, paidAt, paidWith } = balance;
  const marks = {
    [BALANCE_MARKS.try]: String(tries),
    ...(decline && { [BALANCE_MARKS.decline]: JSON.stringify(decline) }),
    ...(payingSince && { [BALANCE_MARKS.paying]: payingSince.toISOString() }),
    [BALANCE_MARKS.beforeFee]: String(beforeFeeCents),
  };
  return {
    ...paymentRow(record, id, 'balance'),
    ...{ status, cents, madeAt: (paidAt ?? record.begunAt).toISOString() },
    ...(paidAt && { paidAt: paidAt.toISOString() }),
    ...{ card: paidWith ? JSON.stringify(paidWith) : null, marks: JSON.stringify(marks) },
  };
}

function paymentRow({ id: registration, edition }: RegistrationRecord, id: string, name: string) {
  return {
    ...({ id, registration, name, edition: edition.facts.id, asMade: 1, paidAt: null } as const),
    ...({
      charge: `ch_${id}`,
      disputed: 0,
      marks: null,
      recordedAt: new Date().toISOString(),
      version: 1,
    } as const),
  };
}

/** The acts that such a registration has on record, in an order in which they can have happened. */
function actsOf(record: RegistrationRecord): ActRow[] {
  const { agreement, card, paidAt, decisions, cancelled, corrections, forgottenAt } = record;
  const acts: Omit<ActRow, 'subject' | 'number'>[] = [];
  const add = (
    kind: string,
    { at, by = 'Anna', ...facts }: { at: Date; by?: string },
    undoes?: string,
  ): string => {
    const id = randomUUID();
    const row = { id, kind, at: at.toISOString(), byWhom: by, facts: JSON.stringify(facts) };
    acts.push({ ...row, undoes: undoes ?? null });
    return id;
  };
  if (agreement) {
    const { agreedAt: at, ...text } = agreement;
    add(ACTS.consent, { at, ...text });
  }
  if (card && card.since.getTime() !== paidAt?.getTime()) {
    const { since: at, ...given } = card;
    add(ACTS.card, { at, ...given });
  }
  const { withdrawn, ...held } = decisions;
  for (const [kind, decision] of Object.entries(held)) if (decision) add(kind, decision);
  for (const { kind, at, by } of withdrawn) add('withdrawal', { at, by }, add(kind, { at, by }));
  if (cancelled) {
    const { at, cents, checkCents } = cancelled;
    add(ACTS.cancelled, { at, ...{ cents, checkCents } });
  }
  for (const [detail, { was, at, by }] of Object.entries(corrections))
    add(ACTS.corrected, { at, by, ...{ detail, was } });
  if (forgottenAt) add(ACTS.forgotten, { at: forgottenAt });
  return acts.map((act, index) => ({ ...act, subject: record.id, number: index + 1 }));
}

function endedRows({ id, endedLetters, noticed }: RegistrationRecord): LetterRow[] {
  const notice = noticed && JSON.stringify(noticed);
  const last = endedLetters.findLast(({ kind }) => kind === 'balance-notice');
  const rows = endedLetters.map((letter) =>
    letterRow(id, letter, {
      notice: letter === last && notice ? notice : JSON.stringify(letter.notice ?? null),
    }),
  );
  if (!notice || last) return rows;
  return [
    ...rows,
    letterRow(id, { kind: 'balance-notice', version: '', state: 'sent', at: noticed.at }, { notice }),
  ];
}

function letterRow(
  subject: string,
  {
    kind,
    version,
    state,
    at,
    told,
  }: { kind: MailKind; version: string; state: 'sent' | 'dismissed'; at: Date; told?: string },
  { notice }: { notice: string },
): LetterRow {
  const ended = at.toISOString();
  return {
    ...{ id: `${kind}-${subject}-${version}`, subject, kind, version, state, owedAt: ended, endedAt: ended },
    ...{ address: '', again: 0, askedBy: null, triedAt: ended },
    ...{ notice: notice === 'null' ? null : notice, told: told ?? null },
  };
}

/** The letters that the records call sent or dismissed, with the facts that they would have now. */
async function sentLetters(
  transaction: Transaction,
  records: readonly RegistrationRecord[],
  deposits: readonly string[],
): Promise<LetterRow[]> {
  const all = await readAllOnRecord(transaction, deposits);
  return records.flatMap(({ id, letters, begunAt }) => {
    const onRecord = all.get(id);
    const owed: readonly RegistrationMail[] = onRecord ? lettersOwed(onRecord) : [];
    return owed.flatMap((letter) => {
      const state = letters[letter.kind];
      if (state !== 'sent' && state !== 'dismissed') return [];
      const { told } = endedLetter(letter, state, begunAt);
      const ended = { kind: letter.kind, version: mailVersion(letter), state, at: begunAt };
      return letterRow(id, { ...ended, ...(told !== undefined && { told }) }, { notice: 'null' });
    });
  });
}
