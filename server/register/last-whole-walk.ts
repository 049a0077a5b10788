import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { registrationStates, stateOf } from '#server/payments/registration-state.ts';

/** Recreated when lost. */
const KEY = 'walk:last-whole';

const wholeWalkSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** When it began, by the site's date, in milliseconds since the epoch. */
    startedAt: v.number(),
    /** How many payments need a person. */
    attention: v.number(),
    /** How many registrations were in which state. */
    registrations: v.array(
      v.object({ edition: v.string(), state: v.picklist(registrationStates), count: v.number() }),
    ),
  }),
);

/** What the last walk through all registrations found, whichever worker walked. */
export type WholeWalk = v.InferOutput<typeof wholeWalkSchema>;

/** Undefined before the first one. */
export async function readLastWholeWalk(redis: Redis): Promise<WholeWalk | undefined> {
  const read = v.safeParse(wholeWalkSchema, await redis.get(KEY));
  return read.success ? read.output : undefined;
}

export async function writeLastWholeWalk(redis: Redis, walk: WholeWalk): Promise<void> {
  await redis.set(KEY, JSON.stringify(walk));
}

/** How many registrations of each edition are in each state; states without any are left out. */
export function countStates(
  registrations: readonly RegistrationRecord[],
  now: Date,
): WholeWalk['registrations'] {
  const counts = new Map<string, WholeWalk['registrations'][number]>();
  for (const registration of registrations) {
    const edition = registration.edition.facts.id;
    const state = stateOf(registration, now);
    const counted = counts.get(`${edition} ${state}`)?.count ?? 0;
    counts.set(`${edition} ${state}`, { edition, state, count: counted + 1 });
  }
  return [...counts.values()];
}
