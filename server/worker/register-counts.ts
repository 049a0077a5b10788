import { type NotNull, sql } from 'kysely';
import type { Database } from '#server/database/database.ts';
import type { LetterName } from '#server/letters/table.ts';
import { isHeld } from '#server/registration/registration.ts';
import type { Metrics } from '#server/service/metrics.ts';
import { sharedWhileRunning, withTimeout } from '#server/service/work.ts';
import { editions } from '#shared/content/compiled/editions.ts';

const TIMEOUT_MS = 1_000;

export type RegisterCounts = Awaited<ReturnType<typeof countRegister>>;

/** What the worker found when it looked at the registrations last, in numbers, without reading a single one. */
export function countRegister(database: Database) {
  return database.read(async (transaction) => {
    const all = transaction
      .selectFrom('registrationIndex')
      .select(({ fn }) => fn.countAll<number>().as('count'));
    const registrations = await all
      .select(['edition', 'state'])
      .where('state', 'is not', null)
      .$narrowType<{ state: NotNull }>()
      .groupBy(['edition', 'state'])
      .orderBy('edition')
      .orderBy('state')
      .execute();
    const overdue = await all
      .select('overdue as reason')
      .where('overdue', 'is not', null)
      .$narrowType<{ reason: NotNull }>()
      .groupBy('overdue')
      .execute();
    const unreadable = await all.where('attention', 'is not', null).executeTakeFirstOrThrow();
    const taken = await transaction
      .selectFrom('registrations')
      .select(({ fn }) => ['edition', fn.countAll<number>().as('count')])
      .where('standing', '=', 'taken')
      .groupBy('edition')
      .execute();
    // Paid deposits without a registration, that nobody was welcomed for and no person has looked at.
    const unregistered = await transaction
      .selectFrom('payments')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('number', '=', 0)
      .where('status', '=', 'paid')
      .where(
        sql<boolean>`not exists (select 1 from registrations where registrations.id = payments.registration)
          and not exists (select 1 from acts where acts.subject = payments.registration and acts.kind = ${'looked-at'})
          and not exists (select 1 from letters where letters.subject = payments.registration and letters.kind = ${'welcome' satisfies LetterName}
            and letters.state <> 'owed')`,
      )
      .executeTakeFirstOrThrow();
    return {
      attention: unreadable.count + unregistered.count,
      registrations,
      overdue,
      /** How many more people have paid than there are places, of the editions with a number of places. */
      overbooked: editions.flatMap(({ facts: { id, places } }) => {
        const count = taken.find(({ edition }) => edition === id)?.count ?? 0;
        return places === undefined ? [] : [{ edition: id, count: Math.max(0, count - places) }];
      }),
    };
  });
}

/** What the worker found when it looked at the registrations last, whichever worker it was. */
export function reportRegister(metrics: Metrics, database: Database): void {
  const read = sharedWhileRunning(() =>
    withTimeout(countRegister(database), TIMEOUT_MS).catch(() => undefined),
  );
  metrics.gauge('register_held', 'Whether the register is held: 1 while nothing goes out', async () =>
    Number(await withTimeout(database.read(isHeld), TIMEOUT_MS).catch(() => Number.NaN)),
  );
  metrics.gauge(
    'payments_needing_attention',
    'Payments that a person must look at: paid with another amount than expected, unknown to this release, or unreadable',
    async () => (await read())?.attention ?? Number.NaN,
  );
  metrics.readCounts(
    'balances_overdue',
    'Balances whose moment has come and that are not paid, by what keeps them from being charged',
    ['reason'],
    async () => (await read())?.overdue,
  );
  metrics.readCounts(
    'places_overbooked',
    'How many more people have paid for a place than there are places, by edition',
    ['edition'],
    async () => (await read())?.overbooked,
  );
  metrics.readCounts(
    'registrations',
    'Registrations by edition and state',
    ['edition', 'state'],
    async () => (await read())?.registrations,
  );
}
