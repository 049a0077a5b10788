import type { Transaction } from '#server/database/engine.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readDecisions } from './decisions.ts';

/**
 * For deposits of people who had paid another one of the same edition before, and hold that place: the first such one,
 * by the later deposit. The same name at the same address is the same person, unless she said that it is somebody else.
 */
export async function readPaidBefore(
  transaction: Transaction,
  deposits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const pairs = await transaction
    .selectFrom('registrations as second')
    .innerJoin('registrations as first', (join) =>
      join
        .onRef('first.address', '=', 'second.address')
        .onRef('first.edition', '=', 'second.edition')
        .onRef('first.person', '=', 'second.person'),
    )
    .select(['second.deposit', 'first.deposit as before'])
    .where('second.deposit', 'in', deposits)
    .where('second.somebodyElse', '=', 0)
    // Of people whose data were removed, name and address are empty.
    .where('second.address', '!=', '')
    .where('first.standing', '=', 'taken')
    .where(({ eb, or, and, ref }) =>
      or([
        eb('first.paidAt', '<', ref('second.paidAt')),
        and([eb('first.paidAt', '=', ref('second.paidAt')), eb('first.deposit', '<', ref('second.deposit'))]),
      ]),
    )
    .orderBy('first.paidAt', 'desc')
    .orderBy('first.deposit', 'desc')
    .execute();
  return new Map(pairs.flatMap(({ deposit, before }) => (deposit && before ? [[deposit, before]] : [])));
}

/**
 * The deposit that the same person paid before; undefined where it is no second payment, or the office decided that
 * these are two people. What was decided when it was given back stands, whatever became of the other one since.
 */
export function secondOf({
  acts,
  paidBefore,
}: {
  acts: readonly ActRow[];
  paidBefore?: string;
}): string | undefined {
  const { cancel, twoPeople } = readDecisions(acts);
  if (cancel) return cancel.secondOf;
  return twoPeople ? undefined : paidBefore;
}

/**
 * Of registrations those, by their deposits, of which nobody is reminded if they are not paid: the address has a place in
 * the edition, or has begun to register again since; or the edition is full.
 */
export async function readNotReminded(
  transaction: Transaction,
  registrations: readonly RegistrationRow[],
): Promise<ReadonlySet<string>> {
  const unpaid = registrations.flatMap(({ deposit, standing, edition }) =>
    deposit !== null && standing !== 'taken' ? [{ deposit, edition }] : [],
  );
  if (unpaid.length === 0) return new Set();
  const overtaken = await transaction
    .selectFrom('registrations as own')
    .innerJoin('registrations as other', (join) =>
      join
        .onRef('other.address', '=', 'own.address')
        .onRef('other.edition', '=', 'own.edition')
        .onRef('other.id', '!=', 'own.id'),
    )
    .select('own.deposit')
    .where(
      'own.deposit',
      'in',
      unpaid.map(({ deposit }) => deposit),
    )
    .where(({ eb, or, ref }) =>
      or([eb('other.standing', '=', 'taken'), eb('other.begunAt', '>', ref('own.begunAt'))]),
    )
    .execute();
  const full = new Set<string>();
  for (const edition of new Set(unpaid.map((one) => one.edition)))
    if (await isFull(transaction, edition)) full.add(edition);
  const inFull = unpaid.filter(({ edition }) => full.has(edition));
  return new Set([...overtaken, ...inFull].flatMap(({ deposit }) => deposit ?? []));
}

/** Whether all places of an edition are paid for, or wanted by people who wait. */
async function isFull(transaction: Transaction, edition: string): Promise<boolean> {
  const { places } = findEdition(edition)?.facts ?? {};
  if (places === undefined) return false;
  const { taken } = await transaction
    .selectFrom('registrations')
    .select(({ fn }) => fn.countAll<number>().as('taken'))
    .where('edition', '=', edition)
    .where('standing', '=', 'taken')
    .executeTakeFirstOrThrow();
  const { waiting } = await transaction
    .selectFrom('waitingEntries')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('edition', '=', edition)
    .where('confirmedAt', 'is not', null)
    .where('took', 'is', null)
    .executeTakeFirstOrThrow();
  return taken + waiting >= places;
}
