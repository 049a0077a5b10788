import * as v from 'valibot';
import { type ChargeStop, chargeStop, nextMomentOf } from '#server/payments/charge-plan.ts';
import { overbookedBy } from '#server/payments/place-of-record.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { registrationStates, stateOf } from '#server/payments/registration-state.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Charged } from './charge-due.ts';
import type { Refunded } from './refund-due.ts';
import type { Walked } from './walk.ts';

/** If lost, the next walk through all registrations writes it again. */
const KEY = 'walk:last-whole';
/** When the last walk of any kind succeeded, in milliseconds since the epoch. */
const END_KEY = 'walk:last-end';

/** Why a balance is overdue. */
export const OVERDUE_REASONS = [
  'over',
  'disputed',
  'deposit-refunded',
  'check',
  'unreachable',
  'no-consent',
  'too-late',
  'no-card',
  'no-notice',
  'paying',
  /** The card was declined. */
  'declined',
  /** Nothing prevents the charge: the next walk makes it. */
  'waiting',
] as const satisfies readonly (Exclude<ChargeStop, 'not-due'> | 'waiting')[];

const wholeWalkSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** When it began, by the site's clock, in milliseconds since the epoch. */
    startedAt: v.number(),
    /** How many payments need a person. */
    attention: v.number(),
    /** How many registrations were in which state. */
    registrations: v.array(
      v.object({ edition: v.string(), state: v.picklist(registrationStates), count: v.number() }),
    ),
    /** How many balances are overdue, by what prevents the charge. */
    overdue: v.array(v.object({ reason: v.picklist(OVERDUE_REASONS), count: v.number() })),
    /** How many more people have paid than there are places; absent where no edition has limited places. */
    overbooked: v.exactOptional(v.array(v.object({ edition: v.string(), count: v.number() }))),
    /**
     * When the next thing falls due for a registration, in milliseconds since the epoch; absent when nothing
     * does.
     */
    nextAt: v.exactOptional(v.number()),
  }),
);

/** The summary of the last walk through all registrations, by whichever worker. */
export type WholeWalk = v.InferOutput<typeof wholeWalkSchema>;

/** The summary of the last walk; undefined before the first one. */
export async function readLastWholeWalk(redis: RedisClient): Promise<WholeWalk | undefined> {
  const read = v.safeParse(wholeWalkSchema, await redis.get(KEY));
  return read.success ? read.output : undefined;
}

export async function writeLastWholeWalk(redis: RedisClient, walk: WholeWalk): Promise<void> {
  await redis.set(KEY, JSON.stringify(walk));
}

/** When the last walk of any kind succeeded, by the machine's clock; undefined before the first one. */
export async function readLastWalkEnd(redis: RedisClient): Promise<Date | undefined> {
  const ms = await redis.get(END_KEY);
  return ms === null ? undefined : new Date(Number(ms));
}

export async function noteWalkEnd(redis: RedisClient): Promise<void> {
  await redis.set(END_KEY, Date.now());
}

/**
 * The summary of a walk through all registrations. Registrations that it charged or refunded are counted as
 * they were read after that.
 */
export function summaryOf(
  { outcome, registrations: found, toCharge, toRefund }: Walked,
  moved: readonly Pick<Charged | Refunded, 'registrations' | 'counts'>[],
  startedAt: Date,
): WholeWalk {
  const readAgain = moved.flatMap(({ registrations }) => registrations);
  const later = new Map(readAgain.map((registration) => [registration.id, registration]));
  const registrations = found.map((registration) => later.get(registration.id) ?? registration);
  const isUndone =
    moved.some(({ counts }) => counts.failed > 0) || readAgain.length < toCharge.length + toRefund.length;
  const moments = registrations.flatMap((one) => nextMomentOf(one, startedAt)?.getTime() ?? []);
  const overbooked = countOverbooked(registrations);
  const nextAt = isUndone ? startedAt.getTime() : Math.min(...moments);
  return {
    startedAt: startedAt.getTime(),
    attention: outcome.attention,
    registrations: countStates(registrations, startedAt),
    overdue: countOverdue(registrations, startedAt),
    ...(overbooked.length > 0 && { overbooked }),
    ...(Number.isFinite(nextAt) && { nextAt }),
  };
}

function countOverdue(registrations: readonly RegistrationRecord[], now: Date): WholeWalk['overdue'] {
  const counts = new Map<WholeWalk['overdue'][number]['reason'], number>();
  for (const registration of registrations) {
    const stop = chargeStop(registration, now);
    if (stop !== 'not-due') counts.set(stop ?? 'waiting', (counts.get(stop ?? 'waiting') ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

function countOverbooked(registrations: readonly RegistrationRecord[]): { edition: string; count: number }[] {
  return editions.flatMap(({ facts }) => {
    const own = registrations.filter(({ edition }) => edition.facts.id === facts.id);
    return facts.places === undefined ? [] : { edition: facts.id, count: overbookedBy(facts, own) };
  });
}

/** How many registrations of each edition are in each state; states without any are left out. */
function countStates(registrations: readonly RegistrationRecord[], now: Date): WholeWalk['registrations'] {
  const counts = new Map<string, WholeWalk['registrations'][number]>();
  for (const registration of registrations) {
    const edition = registration.edition.facts.id;
    const state = stateOf(registration, now);
    const counted = counts.get(`${edition} ${state}`)?.count ?? 0;
    counts.set(`${edition} ${state}`, { edition, state, count: counted + 1 });
  }
  return [...counts.values()];
}
