import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/database.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { HERSELF } from './act-kinds.ts';
import { type Agreement, lastAct, lastOfKind, readActs } from './acts.ts';
import type { Decision } from './decisions.ts';
import { findKept, freeOf, type Places, usableKey } from './places.ts';
import { readRegistrations } from './read-registration.ts';
import { refused } from './refusals.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { heldEnd, placeOf } from './registration-state.ts';
import { findRow, newRow, type Registrant, registrationIdOf } from './registrations.ts';
import { removeEntries, type WaitingRecord } from './waiting-list.ts';
import { addAct, writeAgreement } from './write-acts.ts';
import { insertRegistration } from './write-ledger.ts';

export interface Hold {
  held: Decision<'held'>;
  /** What she agreed to, and how she said so; it is recorded where no consent is on record. */
  agreement: Agreement;
}

export interface Registering extends Hold {
  key: string;
  waived?: Decision<'waived'> | undefined;
  /** The entry of the waiting list whose offer keeps the place. */
  offer?: string | undefined;
}

/** Nothing is made at Stripe until she pays by card. @returns undefined when there is no place */
export async function registerByOffice(
  places: Pick<Places, 'take'>,
  { facts }: Edition,
  { timeZone = '', ...contact }: Contact & Partial<Registrant>,
  { key, waived, offer, ...hold }: Registering,
): Promise<string | undefined> {
  const { held } = hold;
  const writeHold = holdWriter(hold);
  const waiver = uuidV7();
  let value = key;
  const outcome = await places.take(facts, {
    of: offer === undefined ? freeOf : () => 0,
    own: [],
    async kept(transaction) {
      value = await usableKey(transaction, key);
      return findKept(transaction, [registrationIdOf(value)], held.at, offer);
    },
    async work(transaction) {
      const submit = { contact, facts, timeZone, source: 'office' as const, offer, key: { value } };
      const row = newRow(submit, { begunAt: held.at, heldUntil: heldEnd(held) });
      // A second press finds what the first one made.
      if (await findRow(transaction, row.id)) return;
      await insertRegistration(transaction, row, facts);
      await writeHold(transaction, row.id);
      if (!waived) return;
      const { at, by, ...said } = waived;
      await addAct(transaction, { id: waiver, subject: row.id, kind: 'waived', at, by, facts: said });
      await settlePlaces(transaction, [row.id]);
    },
  });
  return outcome === 'full' ? undefined : registrationIdOf(value);
}

/**
 * Holds the place that is offered to somebody on the waiting list, until the offer ends: her page asks for the deposit. A
 * second press finds what the first one made.
 * @returns her registration; undefined when the offer is over
 */
export function takeOffer(
  places: Pick<Places, 'take'>,
  { id, edition, registrant, offer }: WaitingRecord,
  at: Date,
): Promise<string | undefined> {
  const { until = at } = offer ?? {};
  const { version, digest } = edition.terms;
  const cents = edition.facts.prices.depositBeforeFeeCents;
  return registerByOffice(places, edition, registrant, {
    key: `offer-${id}-${until.toISOString()}`,
    offer: id,
    held: { at, by: HERSELF, way: 'card', until, cents },
    agreement: { version, digest, agreedAt: at },
  });
}

/** @throws {AppError} when somebody else has held it since the record was read */
export function holdForOffice(
  places: Pick<Places, 'take'>,
  { id, edition, decisions }: RegistrationRecord,
  hold: Hold,
): Promise<'held' | 'full'> {
  const writeHold = holdWriter(hold);
  return places.take(edition.facts, {
    of: freeOf,
    own: [id],
    kept: (transaction) => findKept(transaction, [id], hold.held.at),
    work: (transaction) => writeHold(transaction, id, decisions.held),
  });
}

/** The transaction may run again: then it finds its acts by their ids. */
function holdWriter({ held: { at, by, ...facts }, agreement }: Hold) {
  const [act, consent] = [uuidV7(), uuidV7()];
  return async (transaction: Transaction, id: string, before?: Decision<'held'>): Promise<void> => {
    const acts = await readActs(transaction, id);
    const last = lastAct(acts, 'held');
    if (last && last.id !== act && last.happenedAt.getTime() !== before?.at.getTime())
      throw refused('decided_meanwhile');
    if (!lastOfKind(acts, 'consent')) await writeAgreement(transaction, id, agreement, consent);
    await addAct(transaction, { id: act, subject: id, kind: 'held', at, by, facts });
    await transaction
      .updateTable('registrations')
      .set({ standing: 'open', heldUntil: heldEnd({ at, by, ...facts }) })
      .where('id', '=', id)
      .where('standing', '!=', 'taken')
      .execute();
    await settlePlaces(transaction, [id]);
  };
}

/** Writes who takes a place, as payments and acts say; of what cannot be read nothing is known. */
export async function settlePlaces(transaction: Transaction, ids: readonly string[]): Promise<void> {
  for (const { row, record } of (await readRegistrations(transaction, ids)).values()) {
    if (!record) continue;
    const place = placeOf(record);
    const isKept = place === 'open' && row.standing !== 'taken';
    const paidAt = record.deposit === 'paid' ? (record.paidAt ?? null) : null;
    const settled = { standing: isKept ? row.standing : place, paidAt };
    if (settled.standing !== row.standing || paidAt?.getTime() !== row.paidAt?.getTime())
      await transaction.updateTable('registrations').set(settled).where('id', '=', row.id).execute();
    if (place === 'taken' && row.waiting !== null) await removeEntries(transaction, [row.waiting]);
  }
}
