import { sql } from 'kysely';
import type { Database } from '#server/database/database.ts';
import type { MailKind } from '#server/mail/job.ts';
import { type ChargeStop, chargeObstacles } from '#server/registration/charges.ts';
import { type RegistrationState, registrationStates } from '#server/registration/registration-state.ts';
import { editions } from '#shared/content/compiled/editions.ts';

/** Nothing prevents the charge: the worker makes it. */
export const WAITING = 'waiting';

export const OVERDUE_REASONS = [
  ...chargeObstacles,
  'paying',
  /** The card was declined. */
  'declined',
  WAITING,
] as const satisfies readonly (Exclude<ChargeStop, 'not-due'> | typeof WAITING)[];
type OverdueReason = (typeof OVERDUE_REASONS)[number];

/** What the worker found when it looked at the registrations last, in numbers. */
export interface RegisterCounts {
  /** How many payments need a person. */
  attention: number;
  /** How many registrations are in which state. */
  registrations: readonly { edition: string; state: RegistrationState; count: number }[];
  /** How many balances are overdue, by what prevents the charge. */
  overdue: readonly { reason: OverdueReason; count: number }[];
  /** How many more people have paid than there are places, of the editions with a number of places. */
  overbooked: readonly { edition: string; count: number }[];
}

/** Counts what the register holds, without reading a single registration. */
export function countRegister(database: Database): Promise<RegisterCounts> {
  return database.read(async (transaction) => {
    const all = transaction
      .selectFrom('registrationIndex')
      .select(({ fn }) => fn.countAll<number>().as('count'));
    const states = await all
      .select(['edition', 'state'])
      .groupBy(['edition', 'state'])
      .orderBy('edition')
      .orderBy('state')
      .execute();
    const reasons = await all.select('overdue').groupBy('overdue').execute();
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
          and not exists (select 1 from letters where letters.subject = payments.registration and letters.kind = ${'welcome' satisfies MailKind}
            and letters.state <> 'owed')`,
      )
      .executeTakeFirstOrThrow();
    return {
      attention: unreadable.count + unregistered.count,
      registrations: states.flatMap(({ state: name, ...counted }) => {
        const state = registrationStates.find((one) => one === name);
        return state ? [{ ...counted, state }] : [];
      }),
      overdue: reasons.flatMap(({ overdue, count }) => {
        const reason = OVERDUE_REASONS.find((one) => one === overdue);
        return reason ? [{ reason, count }] : [];
      }),
      overbooked: editions.flatMap(({ facts: { id, places } }) => {
        const count = taken.find(({ edition }) => edition === id)?.count ?? 0;
        return places === undefined ? [] : [{ edition: id, count: Math.max(0, count - places) }];
      }),
    };
  });
}
