import { isDeepStrictEqual } from 'node:util';
import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import { addAct, factsOfAct, moment, readActs, THE_WORKER } from '#server/record/acts.ts';
import { type Decision, readDecision, readDecisions, WITHDRAWAL } from '#server/record/decisions.ts';
import { ACTS, handedOverOf, type Register, readOnRecord } from '#server/record/on-record.ts';
import { readRecord } from '#server/record/read-record.ts';
import { type Received, readReceived, type WhyTakenBack } from '#server/record/received.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { findRow, nameOf } from '#server/record/registrations.ts';
import { customerOf } from './deposit.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { forget } from './forget.ts';
import { registrantOfCustomer, writeHolder } from './personal-data.ts';
import { settlePlaces } from './record-payments.ts';
import { ifThere } from './stripe-calls.ts';

const told = v.optional(v.string(), '');

/** What the metadata of a registration's customer say of what was decided; '' where they say nothing. */
const mirrorSchema = v.object({
  /** The decisions that lower, move, divide or end a charge: forgotten by a register that is restored, they would cost her money. */
  cancel: told,
  waived: told,
  check: told,
  /** JSON of `receivedSchema`: the checks and transfers that came. */
  received: told,
  postponed: told,
  plan: told,
  planAgreed: told,
  /** The number that links to her page must name. */
  epoch: told,
  /** When the place came to the person whose name the customer has, from who had it before. */
  handed: told,
  /** When her data were removed. */
  forgotten: told,
});
type Mirror = v.InferOutput<typeof mirrorSchema>;

const MIRROR_KEYS = v.keyof(mirrorSchema).options;

function mirrorOf({ decisions, received, linksEpoch, handedOver, forgottenAt }: RegistrationRecord): Mirror {
  return {
    cancel: toldOf(decisions.cancel),
    waived: toldOf(decisions.waived),
    check: toldOf(decisions.check),
    received: received.counting.length > 0 ? JSON.stringify(received.counting.map(mirroredOf)) : '',
    postponed: toldOf(decisions.postponed),
    plan: toldOf(decisions.plan),
    planAgreed: toldOf(decisions.planAgreed),
    epoch: linksEpoch > 0 ? String(linksEpoch) : '',
    handed: handedOver?.at.toISOString() ?? '',
    forgotten: forgottenAt?.toISOString() ?? '',
  };
}

/** A value of metadata holds 500 characters, and Stripe is told nothing that may be personal. */
function toldOf(decision: Decision | undefined): string {
  return decision ? JSON.stringify({ ...decision, reason: undefined }) : '';
}

const receivedSchema = v.array(
  v.tuple([v.picklist(['check', 'transfer']), v.number(), v.pipe(v.string(), v.isoTimestamp()), v.string()]),
);

const mirroredOf = ({ way, cents, on, number = '' }: Received) =>
  [way, cents, on.toISOString(), number] as const;

/** What the register remembers that her customer says. */
function mirrorIn({ mirrored }: Pick<RegistrationRow, 'mirrored'>): Mirror {
  return v.parse(v.pipe(v.string(), v.parseJson(), mirrorSchema), mirrored || '{}');
}

/** Whether her customer is told what was decided: from her first payment on, in whichever way. */
export function isMirrored(
  { deposit, received }: RegistrationRecord,
  { mirrored }: Pick<RegistrationRow, 'mirrored'>,
): boolean {
  return deposit === 'paid' || received.counting.length > 0 || mirrored !== '';
}

/** Whether her customer does not yet say at Stripe what was decided. */
export function isMirrorStale(record: RegistrationRecord, row: Pick<RegistrationRow, 'mirrored'>): boolean {
  return !isDeepStrictEqual(mirrorOf(record), mirrorIn(row));
}

/**
 * Writes to her customer at Stripe what was decided, so that a register that is restored from a copy learns of it. Once a
 * place was handed over, the customer is who has it since, without the cards of who had it before.
 */
export async function writeMirror(records: Records, id: string): Promise<boolean> {
  const { stripe, database } = records;
  const onRecord = await readOnRecord(records, id);
  const record = readRecord(onRecord);
  const { registration: row } = onRecord;
  if (!record?.customerId || !row) return false;
  const metadata = mirrorOf(record);
  const isHandedOver = metadata.handed !== mirrorIn(row).handed && !record.forgottenAt;
  const person = isHandedOver ? customerOf(record.registrant) : {};
  // Before the customer says so: if it is interrupted, it is done once more. Nothing of a customer who was deleted.
  if (isHandedOver) await ifThere(detachOthers(stripe, record));
  await ifThere(stripe.customers.update(record.customerId, { ...person, metadata }));
  await database.write((transaction) =>
    transaction
      .updateTable('registrations')
      .set({ mirrored: JSON.stringify(metadata) })
      .where('deposit', '=', id)
      .execute(),
  );
  return true;
}

/** Makes the cards of who had the place before unusable, once somebody else has it. */
async function detachOthers(stripe: Stripe, { customerId = '', card }: RegistrationRecord): Promise<void> {
  for await (const { id } of stripe.customers.listPaymentMethods(customerId, { limit: 100 }))
    if (id !== card?.id) await stripe.paymentMethods.detach(id);
}

/**
 * Adds to a register that was restored from a copy what a customer says of decisions since the copy. What the customer
 * said when the copy was made says nothing new.
 */
export async function takeMirror(
  records: Records,
  id: string,
  customer: Stripe.Customer,
  now: Date,
): Promise<void> {
  const says = v.parse(mirrorSchema, customer.metadata);
  const isForgotten = await records.database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    if (!row) return false;
    const before = mirrorIn(row);
    for (const key of MIRROR_KEYS) {
      const text = says[key];
      if (text === before[key] || !(await takeOne(transaction, { row, id, key, text, customer, now })))
        continue;
      const facts = { what: key, isTakenBack: text === '' };
      const act = { id: uuidV7(), subject: id, kind: ACTS.recovered, at: now, by: THE_WORKER, facts };
      await addAct(transaction, act);
    }
    if (!isDeepStrictEqual(says, before)) {
      const mirrored = JSON.stringify(says);
      await transaction.updateTable('registrations').set({ mirrored }).where('deposit', '=', id).execute();
      await settlePlaces(transaction, [id]);
    }
    return says.forgotten !== '' && row.forgottenAt === null;
  });
  const record = isForgotten && (await findRegistration(records, id));
  if (record) await forget(records, record, THE_WORKER, now);
}

interface Taken {
  row: RegistrationRow;
  id: string;
  key: (typeof MIRROR_KEYS)[number];
  text: string;
  customer: Stripe.Customer;
  now: Date;
}

/** Whether it was news to the register. If the transaction runs again, nothing is: the register remembers what was said. */
async function takeOne(
  transaction: Transaction,
  { row, id, key, text, customer, now }: Taken,
): Promise<boolean> {
  if (key === 'forgotten') return row.forgottenAt === null;
  if (key === 'epoch') {
    const linksEpoch = Math.max(Number(text), row.linksEpoch);
    await transaction.updateTable('registrations').set({ linksEpoch }).where('deposit', '=', id).execute();
    return linksEpoch > row.linksEpoch;
  }
  const acts = await readActs(transaction, id);
  if (key === 'received') return takeReceived(transaction, { id, acts, text, now });
  if (key === 'handed') {
    const at = v.safeParse(moment, text);
    const before = handedOverOf(acts);
    if (!at.success || (before && before.at >= at.output)) return false;
    const linksEpoch = Math.max(Number(customer.metadata.epoch ?? 0), row.linksEpoch);
    const registrant = { ...registrantOfCustomer(customer), timeZone: '' };
    const holder = { id: uuidV7(), at: at.output, by: THE_WORKER, registrant, linksEpoch };
    await writeHolder(transaction, row, holder);
    return true;
  }
  if (text === toldOf(readDecisions(acts)[key])) return false;
  const act = { id: uuidV7(), subject: id };
  if (text !== '') {
    const { at, by, ...facts } = readDecision(key, text);
    await addAct(transaction, { ...act, kind: key, at, by, facts });
    return true;
  }
  const last = acts.findLast(({ kind }) => kind === key);
  if (last) await addAct(transaction, { ...act, kind: WITHDRAWAL, at: now, by: THE_WORKER, undoes: last.id });
  return true;
}

/** Adds the checks and transfers that the customer names and the register does not know, and takes back the others. */
async function takeReceived(
  transaction: Transaction,
  { id, acts, text, now }: Pick<Taken, 'id' | 'text' | 'now'> & { acts: readonly ActRow[] },
): Promise<boolean> {
  const said = v.parse(v.pipe(v.string(), v.parseJson(), receivedSchema), text || '[]');
  const held = readReceived(acts).counting;
  // Two may be equal: each is matched with one.
  const gone = [...held];
  const came = said.filter((one) => {
    const same = gone.findIndex((other) => isDeepStrictEqual(one, mirroredOf(other)));
    if (same >= 0) gone.splice(same, 1);
    return same < 0;
  });
  const act = { subject: id, at: now, by: THE_WORKER };
  for (const [way, cents, on, number] of came) {
    const facts = { way, cents, on, ...(number !== '' && { number }) };
    await addAct(transaction, { ...act, id: uuidV7(), kind: ACTS.received, facts });
  }
  for (const { id: undoes } of gone) {
    const facts = { why: 'mistake' satisfies WhyTakenBack };
    await addAct(transaction, { ...act, id: uuidV7(), kind: WITHDRAWAL, facts, undoes });
  }
  return came.length + gone.length > 0;
}

/**
 * A register that was restored from a copy, or is older than it was. Until somebody has confirmed it, nothing goes out:
 * no charge, no refund, no letter.
 */
export interface Restored {
  /** When the newest copy that it knows of was made; undefined where this site makes none, as of PostgreSQL. */
  copiedAt?: Date;
  /** Whether all that Stripe knows has been added. */
  isReconciled: boolean;
  /** What was added, by the deposits of the registrations. */
  added: readonly { deposit: string; name: string; what: Added['what']; isTakenBack: boolean }[];
}

export async function isRestored({ database }: Register): Promise<boolean> {
  const { copyOf } = await database.read((transaction) =>
    transaction.selectFrom('register').select('copyOf').executeTakeFirstOrThrow(),
  );
  return copyOf !== null;
}

/** What is known of a register that was restored; undefined where it was not, or that is confirmed. */
export async function readRestored({ database }: Register): Promise<Restored | undefined> {
  return database.read(async (transaction) => {
    const { copyOf, copiedAt, reconciledAt } = await transaction
      .selectFrom('register')
      .select(['copyOf', 'copiedAt', 'reconciledAt'])
      .executeTakeFirstOrThrow();
    if (copyOf === null) return undefined;
    return {
      ...(copiedAt !== null && { copiedAt: new Date(copiedAt) }),
      isReconciled: reconciledAt !== null,
      added: await readAdded(transaction, new Date(copiedAt ?? 0)),
    };
  });
}

/** What a recovered act says was added: a registration unless it says otherwise. */
const recoveredSchema = v.object({
  what: v.optional(v.picklist(['registration', ...MIRROR_KEYS]), 'registration'),
  isTakenBack: v.optional(v.boolean(), false),
});
type Added = v.InferOutput<typeof recoveredSchema>;

async function readAdded(transaction: Transaction, since: Date): Promise<Restored['added']> {
  const acts = await transaction
    .selectFrom('acts')
    .selectAll()
    .where('kind', '=', ACTS.recovered)
    .where('byWhom', '=', THE_WORKER)
    // Ids are made by the machine's clock, as copies are; the clock of the site may be another one.
    .where('id', '>=', uuidV7({ msecs: since.getTime() }))
    .orderBy('id')
    .execute();
  const deposits = acts.map(({ subject }) => subject);
  const rows = await rowsWith(transaction, 'registrations', 'deposit', deposits);
  return acts.map((act) => {
    const row = rows.find(({ deposit }) => deposit === act.subject);
    const name = row ? nameOf(row) : '';
    return { deposit: act.subject, name, ...factsOfAct(act, recoveredSchema) };
  });
}

/** Somebody has read what was added: everything goes out again. */
export async function confirmRestored({ database }: Register, by: string, at: Date): Promise<void> {
  const id = uuidV7();
  await database.write(async (transaction) => {
    const { name } = await transaction
      .updateTable('register')
      .set({ copyOf: null, reconciledAt: null })
      .returning('name')
      .executeTakeFirstOrThrow();
    await addAct(transaction, { id, subject: name, kind: ACTS.confirmed, at, by });
  });
}
