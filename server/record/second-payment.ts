import type { Transaction } from '#server/database/engine.ts';
import type { ActRow } from '#server/database/schema.ts';
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
