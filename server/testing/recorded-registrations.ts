import type { InsertObject } from 'kysely';
import {
  type ActRow,
  type AttemptRow,
  type Database,
  type LetterRow,
  type NewRow,
  noteChange,
  type PaymentRow,
  type RefundRow,
  type Tables,
} from '#server/database/database.ts';
import {
  answersColumn,
  personColumns,
  type Received,
  type RegistrationRecord,
  settlePlaces,
  WITHDRAWAL,
} from '#server/registration/registration.ts';
import { registration } from './test-database.ts';

/** A registration without what follows from the rest, see `withLedger`. */
export type Recorded = Omit<RegistrationRecord, 'acts' | 'ledger' | 'context'>;

/** Writes registrations into a register as if they had happened; of letters only the notices of charges. */
export async function putOnRecord(database: Database, records: readonly RegistrationRecord[]): Promise<void> {
  await database.write(async (transaction) => {
    const put = async <Name extends keyof Tables>(
      name: Name,
      rowsOf: (record: RegistrationRecord) => readonly InsertObject<Tables, Name>[],
    ): Promise<void> => {
      const rows = records.flatMap(rowsOf);
      const query = transaction.insertInto(name).values(rows);
      if (rows.length > 0) await query.onConflict((conflict) => conflict.doNothing()).execute();
    };
    await put('registrations', (record) => [registrationRow(record)]);
    await put('payments', paymentRows);
    await put('attempts', attemptRows);
    await put('refunds', refundRows);
    await put('acts', actRows);
    for (const name of ['installments', 'entries', 'payouts'] as const)
      await put(name, ({ ledger }) => ledger[name]);
    await put('letters', noticeRows);
    const ids = records.map(({ id }) => id);
    await settlePlaces(transaction, ids);
    await noteChange(transaction, ...ids);
  });
}

function registrationRow(record: RegistrationRecord): NewRow<'registrations'> {
  const { id, edition, begunAt, registrant, customerId = null, forgottenAt } = record;
  return {
    ...registration(id),
    ...personColumns(registrant),
    edition: edition.facts.id,
    begunAt,
    heldUntil: new Date(0),
    // Many are of one name and address, and each is of a person of her own.
    person: id,
    customer: customerId,
    forgottenAt: forgottenAt ?? null,
    atStripe: record.atStripe?.id ?? null,
    atStripeUntil: record.atStripe?.until ?? null,
    answers: answersColumn(record.answers),
  };
}

const depositIdOf = ({ id, depositPayment }: RegistrationRecord): string => depositPayment?.id ?? `pi_${id}`;

function paymentRows(record: RegistrationRecord): PaymentRow[] {
  const { id, begunAt, deposit, depositCents, disputed } = record;
  const paidWith = record.card ?? record.depositCard;
  const madeAt = begunAt;
  const common = {
    registration: id,
    edition: record.edition.facts.id,
    asMade: 1,
    madeAt,
    disputed: 0,
    paidAt: null,
    beforeFeeCents: null,
    postalCode: null,
    version: 1,
  } as const;
  const row: PaymentRow = {
    ...common,
    id: depositIdOf(record),
    number: 0,
    cents: depositCents,
    charge: `ch_${depositIdOf(record)}`,
    status: deposit === 'paid' ? 'paid' : deposit === 'closed' ? 'cancelled' : 'open',
    ...(deposit === 'paid' && { paidAt: record.paidAt ?? begunAt }),
    disputed: disputed ? 1 : 0,
    card: paidWith ? JSON.stringify(paidWith) : null,
  };
  const ofBalance = record.balances.map(
    ({ number, paidAt, paidWith: card, ...payment }): PaymentRow => ({
      ...common,
      ...payment,
      number,
      charge: `ch_${payment.id}`,
      paidAt: paidAt ?? null,
      card: card ? JSON.stringify(card) : null,
    }),
  );
  return [row, ...ofBalance];
}

function attemptRows({ id: registration, attempts }: RegistrationRecord): AttemptRow[] {
  return attempts.map((attempt) => ({ ...attempt, id: `${attempt.id} of ${registration}`, registration }));
}

function refundRows(record: RegistrationRecord): RefundRow[] {
  const { balances, refunds, depositCents } = record;
  const { payouts } = record.ledger;
  const [balance] = balances;
  return refunds.map(({ id, of, cents, status, at, orderedBy = null }) => ({
    id,
    payment: of === 'deposit' ? depositIdOf(record) : (balance?.id ?? ''),
    paymentCents: of === 'deposit' ? depositCents : (balance?.cents ?? 0),
    cents,
    status,
    madeAt: at,
    ordered: payouts.find((one) => one.orderedBy === orderedBy && one.way === 'card')?.id ?? orderedBy,
  }));
}

/** Names an act of a test, whose id begins with it. */
export function actName(kind: string, { at }: { at: Date }): string {
  return `${kind} ${at.toISOString()}`;
}

/** The acts that such a registration has on record, in an order in which they can have happened. */
export function actRows({
  id: subject,
  agreement,
  decisions,
  cancelled,
  forgottenAt,
  handedOver,
  received,
  corrections,
}: Recorded): ActRow[] {
  const { withdrawn: _, ...held } = decisions;
  const { agreedAt, ...terms } = agreement ?? {};
  const acts = [
    ['consent', agreedAt && { at: agreedAt, ...terms }],
    ...Object.entries(held),
    ['cancelled', cancelled && { at: cancelled.at }],
    ['forgotten', forgottenAt && { at: forgottenAt }],
    ['handed-over', handedOver],
    ...Object.entries(corrections).map(
      ([detail, told]) => ['corrected', told && { detail, ...told }] as const,
    ),
  ] as const;
  const rows = acts.flatMap(([kind, told]): ActRow[] => {
    if (!told) return [];
    const { at, by = 'Anna', ...facts }: { at: Date; by?: string } = told;
    const act = { id: `${actName(kind, { at })} of ${subject}`, subject, number: 0, kind, undoes: null };
    return [{ ...act, happenedAt: at, byWhom: by, facts: JSON.stringify(facts) }];
  });
  const idOf = ({ id }: Pick<Received, 'id'>) => `${id} of ${subject}`;
  const came = [...received.counting, ...received.takenBack.map(({ payment }) => payment)].map(
    ({ id, name: _, at, by, ...facts }) => ({
      id: idOf({ id }),
      subject,
      number: 0,
      kind: 'received',
      undoes: null,
      happenedAt: at,
      byWhom: by,
      facts: JSON.stringify(facts),
    }),
  );
  const takenBack = received.takenBack.map(({ payment, at, by, why }) => ({
    id: `${idOf(payment)} taken back`,
    subject,
    number: 0,
    kind: WITHDRAWAL,
    undoes: idOf(payment),
    happenedAt: at,
    byWhom: by,
    facts: JSON.stringify({ why }),
  }));
  return [...rows, ...came, ...takenBack]
    .toSorted((one, other) => +one.happenedAt - +other.happenedAt)
    .map((act, index) => ({ ...act, number: index + 1 }));
}

function noticeRows({ id: subject, notices }: RegistrationRecord): LetterRow[] {
  return notices.map(({ at, number, ...told }) => ({
    id: `balance-notice-${subject}-${number}`,
    subject,
    kind: 'balance-notice',
    version: '',
    state: 'sent',
    owedAt: at,
    endedAt: at,
    triedAt: at,
    said: null,
    address: '',
    again: 0,
    askedBy: null,
    notice: JSON.stringify({ ...told, number }),
  }));
}
