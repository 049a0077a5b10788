import { randomUUID } from 'node:crypto';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type {
  ActRow,
  AttemptRow,
  LetterRow,
  PaymentRow,
  RefundRow,
  RegistrationRow,
} from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { settlePlaces } from '#server/payments/record-payments.ts';
import { answersColumn } from '#server/record/answers.ts';
import { ACTS } from '#server/record/on-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { personColumns, UNTOUCHED } from '#server/record/registrations.ts';

const AT_ONCE = 500;

/**
 * Writes registrations into a register as if they had happened; those of the same deposits are replaced. Of letters it
 * writes only the notices of charges.
 */
export async function putOnRecord(database: Database, records: readonly RegistrationRecord[]): Promise<void> {
  await database.write(async (transaction) => {
    for (let at = 0; at < records.length; at += AT_ONCE) {
      const some = records.slice(at, at + AT_ONCE);
      await remove(transaction, some);
      await transaction.insertInto('registrations').values(some.map(registrationRow)).execute();
      await transaction.insertInto('payments').values(some.flatMap(paymentRows)).execute();
      const [refunds, acts] = [some.flatMap(refundRows), some.flatMap(actRows)];
      const attempts = some.flatMap(attemptRows);
      if (attempts.length > 0) await transaction.insertInto('attempts').values(attempts).execute();
      if (refunds.length > 0) await transaction.insertInto('refunds').values(refunds).execute();
      if (acts.length > 0) await transaction.insertInto('acts').values(acts).execute();
      const letters = some.flatMap(noticeRows);
      if (letters.length > 0) await transaction.insertInto('letters').values(letters).execute();
      const deposits = some.map(({ id }) => id);
      await settlePlaces(transaction, deposits);
      await noteChange(transaction, ...deposits);
    }
  });
}

async function remove(transaction: Transaction, records: readonly RegistrationRecord[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  const payments = records.flatMap(({ id, balance }) => [id, ...(balance ? [balance.id] : [])]);
  await transaction.deleteFrom('refunds').where('payment', 'in', payments).execute();
  await transaction.deleteFrom('disputes').where('payment', 'in', payments).execute();
  await transaction.deleteFrom('payments').where('registration', 'in', ids).execute();
  await transaction.deleteFrom('attempts').where('registration', 'in', ids).execute();
  await transaction.deleteFrom('letters').where('subject', 'in', ids).execute();
  await transaction.deleteFrom('acts').where('subject', 'in', ids).execute();
  await transaction.deleteFrom('registrations').where('deposit', 'in', ids).execute();
}

function registrationRow(record: RegistrationRecord): RegistrationRow {
  const { id, edition, begunAt, registrant, customerId = null, forgottenAt, balance } = record;
  return {
    ...UNTOUCHED,
    ...{ id: `registration of ${id}`, edition: edition.facts.id, begunAt: begunAt.toISOString() },
    ...{ ...personColumns(registrant), lettersTo: addressDigest(registrant.email), somebodyElse: 1 },
    ...{ customer: customerId, deposit: id, standing: 'open' },
    ...{ heldUntil: new Date(0).toISOString(), forgottenAt: forgottenAt?.toISOString() ?? null },
    payingSince: balance?.payingSince?.toISOString() ?? null,
    answers: answersColumn(record.answers),
  };
}

function paymentRows(record: RegistrationRecord): PaymentRow[] {
  const {
    id,
    deposit,
    depositCents,
    paidAt = record.begunAt,
    begunAt,
    depositCard,
    disputed,
    balance,
  } = record;
  const { since: _, ...charged } = record.card ?? { since: undefined };
  const paidWith = record.card ? charged : depositCard;
  const madeAt = begunAt.toISOString();
  const common = {
    ...({ registration: id, edition: record.edition.facts.id, asMade: 1, madeAt, disputed: 0 } as const),
    ...{ paidAt: null, beforeFeeCents: null, part: 0, recordedAt: new Date().toISOString(), version: 1 },
  };
  const row: PaymentRow = {
    ...{ ...common, id, name: 'deposit', cents: depositCents, charge: `ch_${id}` },
    status: deposit === 'paid' ? 'paid' : deposit === 'closed' ? 'cancelled' : 'open',
    ...(deposit === 'paid' && { paidAt: paidAt.toISOString() }),
    ...{ disputed: disputed ? 1 : 0, card: paidWith ? JSON.stringify(paidWith) : null },
  };
  if (!balance) return [row];
  const ofBalance: PaymentRow = {
    ...{ ...common, id: balance.id, name: 'balance', status: balance.status, cents: balance.cents },
    ...{ charge: `ch_${balance.id}`, paidAt: balance.paidAt?.toISOString() ?? null },
    card: balance.paidWith ? JSON.stringify(balance.paidWith) : null,
    beforeFeeCents: balance.beforeFeeCents,
  };
  return [row, ofBalance];
}

/** The tries of a balance, of which only the last ones leave traces. */
function attemptRows({ id: registration, balance }: RegistrationRecord): AttemptRow[] {
  if (!balance || balance.tries === 0) return [];
  const { id: payment, tries, decline } = balance;
  const row = { registration, part: 0, payment, card: '', begunAt: new Date(0).toISOString(), endedAt: null };
  const unknown = { code: null, step: 0, nextAt: null, final: 0 } as const;
  const last = { ...row, ...unknown, id: `attempt ${tries} of ${registration}`, number: tries };
  if (!decline) return [last];
  const { try: number, at, code, card, step, next, final } = decline;
  const declined: AttemptRow = {
    ...{ ...row, id: `attempt ${number} of ${registration}`, number, endedAt: at.toISOString(), code, card },
    ...{ step, nextAt: next?.toISOString() ?? null },
    final: final ? 1 : 0,
  };
  return number < tries ? [declined, last] : [declined];
}

function refundRows({ id: deposit, balance, refunds }: RegistrationRecord): RefundRow[] {
  return refunds.map(({ id, of, cents, status, at, order = null }) => ({
    ...{ id, payment: of === 'deposit' ? deposit : (balance?.id ?? ''), cents, status },
    ...{ at: at.toISOString(), ordered: order },
  }));
}

/** The acts that such a registration has on record, in an order in which they can have happened. */
function actRows({
  id: subject,
  agreement,
  decisions,
  cancelled,
  forgottenAt,
  received,
}: RegistrationRecord): ActRow[] {
  const { withdrawn: _, ...held } = decisions;
  const { refund: __, ...carriedOut } = cancelled ?? {};
  const { agreedAt, ...terms } = agreement ?? {};
  const acts = [
    [ACTS.consent, agreedAt && { at: agreedAt, ...terms }],
    ...Object.entries(held),
    ...received.counting.map(({ id: _id, name: _name, ...one }) => [ACTS.received, one] as const),
    [ACTS.cancelled, cancelled && { at: cancelled.at, ...carriedOut }],
    [ACTS.forgotten, forgottenAt && { at: forgottenAt }],
  ] as const;
  return acts.flatMap(([kind, told], index): ActRow[] => {
    if (!told) return [];
    const { at, by = 'Anna', ...facts }: { at: Date; by?: string } = told;
    const act = { id: randomUUID(), subject, number: index + 1, kind, undoes: null };
    return [{ ...act, at: at.toISOString(), byWhom: by, facts: JSON.stringify(facts) }];
  });
}

function noticeRows({ id: subject, noticed }: RegistrationRecord): LetterRow[] {
  if (!noticed) return [];
  const at = noticed.at.toISOString();
  return [
    {
      ...{ id: `balance-notice-${subject}-`, subject, kind: 'balance-notice', version: '', state: 'sent' },
      ...{ owedAt: at, endedAt: at, triedAt: at, address: '', again: 0, askedBy: null },
      ...{ notice: JSON.stringify(noticed), told: null },
    },
  ];
}
