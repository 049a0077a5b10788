import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addAct, readActs, THE_WORKER } from './acts.ts';
import { type DecisionKind, readDecision, readDecisions, WITHDRAWAL } from './decisions.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { forget } from './forget.ts';
import { ACTS, readOnRecord } from './on-record.ts';
import { isMissing } from './provider-errors.ts';
import { settlePlaces } from './record-payments.ts';
import { type RegistrationRecord, readRecord } from './registration-record.ts';
import { findRow } from './registrations.ts';

/** The decisions that lower, move or end a charge: forgotten by a register that is restored, they would cost her money. */
const MIRRORED = ['cancel', 'waived', 'check', 'postponed'] as const satisfies readonly DecisionKind[];

/** In the metadata of the customer, beside the decisions: her links' number, and when her data were removed. */
const EPOCH = 'epoch';
const FORGOTTEN = 'forgotten';
export const MIRROR_KEYS = [...MIRRORED, EPOCH, FORGOTTEN] as const;

/** What the customer of a registration says at Stripe of what was decided; '' where it says nothing. */
type Mirror = Record<(typeof MIRROR_KEYS)[number], string>;

function mirrorOf({ decisions, linksEpoch, forgottenAt }: RegistrationRecord): Mirror {
  const told = (kind: (typeof MIRRORED)[number]) => [kind, JSON.stringify(decisions[kind]) ?? ''] as const;
  return {
    ...NO_MIRROR,
    ...Object.fromEntries(MIRRORED.map(told)),
    [EPOCH]: linksEpoch > 0 ? String(linksEpoch) : '',
    [FORGOTTEN]: forgottenAt?.toISOString() ?? '',
  };
}

const NO_MIRROR: Mirror = { cancel: '', waived: '', check: '', postponed: '', epoch: '', forgotten: '' };

/** A mirror as the register remembers it. */
const textOf = (mirror: Mirror): string => MIRROR_KEYS.map((key) => mirror[key]).join('\n');

function mirrorIn({ mirrored }: RegistrationRow): Mirror {
  const values = mirrored.split('\n');
  const mirror = { ...NO_MIRROR };
  for (const [index, key] of MIRROR_KEYS.entries()) mirror[key] = values[index] ?? '';
  return mirror;
}

/** Whether her customer does not yet say at Stripe what was decided. */
export function isMirrorStale(record: RegistrationRecord, row: Pick<RegistrationRow, 'mirrored'>): boolean {
  return textOf(mirrorOf(record)) !== (row.mirrored || textOf(NO_MIRROR));
}

/** Writes to her customer at Stripe what was decided, so that a register that is restored from a copy learns of it. */
export async function writeMirror(records: Records, id: string): Promise<boolean> {
  const { stripe, database } = records;
  const record = readRecord(await readOnRecord(records, id));
  if (!record?.customerId) return false;
  const metadata = mirrorOf(record);
  await stripe.customers.update(record.customerId, { metadata }).catch((error: unknown) => {
    // Somebody has deleted the customer.
    if (!isMissing(error)) throw error;
  });
  await database.write((transaction) =>
    transaction
      .updateTable('registrations')
      .set({ mirrored: textOf(metadata) })
      .where('deposit', '=', id)
      .execute(),
  );
  return true;
}

/**
 * Adds to a register that was restored from a copy what a customer says of decisions since the copy. What the customer
 * said when the copy was made says nothing new.
 */
export async function takeMirror(
  records: Records,
  id: string,
  metadata: Stripe.Metadata,
  now: Date,
): Promise<void> {
  const told = { ...NO_MIRROR };
  for (const key of MIRROR_KEYS) told[key] = metadata[key] ?? '';
  const ids = MIRROR_KEYS.map(() => [uuidV7(), uuidV7()] as const);
  const isForgotten = await records.database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    if (!row) return false;
    const before = mirrorIn(row);
    for (const [index, key] of MIRROR_KEYS.entries()) {
      if (told[key] === before[key]) continue;
      const [first, second] = ids[index] ?? [];
      const isNew = first && (await takeOne(transaction, { row, id, key, text: told[key], act: first, now }));
      if (isNew && second) {
        const facts = { what: key, isTakenBack: told[key] === '' };
        await addAct(transaction, {
          id: second,
          subject: id,
          kind: ACTS.recovered,
          at: now,
          by: THE_WORKER,
          facts,
        });
      }
    }
    await transaction
      .updateTable('registrations')
      .set({ mirrored: textOf(told) })
      .where('deposit', '=', id)
      .execute();
    await settlePlaces(transaction, [id]);
    return told.forgotten !== '' && row.forgottenAt === null;
  });
  const record = isForgotten && (await findRegistration(records, id));
  if (record) await forget(records, record, THE_WORKER, now);
}

interface Taken {
  row: RegistrationRow;
  id: string;
  key: (typeof MIRROR_KEYS)[number];
  text: string;
  /** The id of the act. */
  act: string;
  now: Date;
}

/** Whether it was news to the register. */
async function takeOne(transaction: Transaction, { row, id, key, text, act, now }: Taken): Promise<boolean> {
  if (key === FORGOTTEN) return row.forgottenAt === null;
  if (key === EPOCH) {
    const linksEpoch = Math.max(Number(text), row.linksEpoch);
    await transaction.updateTable('registrations').set({ linksEpoch }).where('deposit', '=', id).execute();
    return linksEpoch > row.linksEpoch;
  }
  const acts = await readActs(transaction, id);
  const held = readDecisions(acts)[key];
  if (text === '') {
    const last = acts.findLast(({ kind }) => kind === key);
    if (!held || !last) return false;
    await addAct(transaction, {
      id: act,
      subject: id,
      kind: WITHDRAWAL,
      at: now,
      by: THE_WORKER,
      undoes: last.id,
    });
    return true;
  }
  if (JSON.stringify(held) === text) return false;
  const { at, by, ...facts } = readDecision(key, text);
  await addAct(transaction, { id: act, subject: id, kind: key, at, by, facts });
  return true;
}
