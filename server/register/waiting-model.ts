import * as v from 'valibot';
import { waitingKeyOf } from '#server/capacity/capacity-in-redis.ts';
import { bouncedSchema } from '#server/payments/bounce-mark.ts';
import { moment } from '#server/payments/decisions.ts';
import {
  inOrderOfJoining,
  offerSchema,
  type WaitingRecord,
  type WaitingState,
  waitingStateOf,
} from '#server/payments/waiting-record.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long after an edition the entries are kept, the same as its registrations. */
const KEPT_AFTER_MS = 30 * DAY_MS;

/**
 * The read model of the waiting list, kept in Redis for the page, which counts the entries, and for the
 * office. Entries whose offer has expired do not count, and are kept in a hash of their own. A walk rebuilds
 * both from Stripe.
 */
export interface WaitingModel {
  /** Writes the current state of an entry. */
  patch(record: WaitingRecord): Promise<void>;
  remove(record: Pick<WaitingRecord, 'id' | 'edition'>): Promise<void>;
  /**
   * The entries in the model: to be read before Stripe, so that `rebuild` keeps entries that join meanwhile.
   */
  ids(edition: Edition): Promise<string[]>;
  /** Writes these entries, and removes the others that were already in the model `before` Stripe was read. */
  rebuild(edition: Edition, before: readonly string[], records: readonly WaitingRecord[]): Promise<void>;
  /** In the order of joining. */
  list(edition: Edition): Promise<WaitingRecord[]>;
}

const storedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    id: v.string(),
    joinedAt: moment,
    registrant: v.object({
      firstName: v.string(),
      lastName: v.string(),
      email: v.string(),
      phoneNumber: v.string(),
      timeZone: v.string(),
    }),
    addressHasPlace: v.boolean(),
    letterMarks: v.record(v.string(), v.string()),
    bounced: v.exactOptional(bouncedSchema),
    offer: v.exactOptional(offerSchema),
    deposit: v.exactOptional(v.string()),
  }),
);

/** The hash that holds an entry; undefined for an entry that took a place. */
const hashOf = (facts: Pick<Facts, 'id'>, state: WaitingState): string | undefined => {
  if (state === 'took') return undefined;
  return state === 'lapsed' ? `${waitingKeyOf(facts)}:lapsed` : waitingKeyOf(facts);
};
const hashesOf = (facts: Pick<Facts, 'id'>): string[] => [
  waitingKeyOf(facts),
  `${waitingKeyOf(facts)}:lapsed`,
];

/**
 * The waiting list's read model on a connection, which the caller closes.
 * @param now the site's clock
 */
export function createWaitingModel(redis: RedisClient, now: () => Date): WaitingModel {
  const remove = async ({ facts }: Edition, ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) for (const key of hashesOf(facts)) await redis.hdel(key, ...ids);
  };
  const patch = async ({ edition, ...record }: WaitingRecord): Promise<void> => {
    const own = hashOf(edition.facts, waitingStateOf(record, now()));
    const write = redis.multi();
    for (const key of hashesOf(edition.facts)) {
      if (key === own) write.hset(key, record.id, JSON.stringify(record));
      else write.hdel(key, record.id);
      write.pexpire(key, Date.parse(edition.facts.endsAt) + KEPT_AFTER_MS - now().getTime());
    }
    await write.exec();
  };
  const ids = async ({ facts }: Edition): Promise<string[]> =>
    (await Promise.all(hashesOf(facts).map((key) => redis.hkeys(key)))).flat();
  return {
    patch,
    remove: ({ id, edition }) => remove(edition, [id]),
    ids,
    async rebuild(edition, before, records) {
      const found = new Set(records.map(({ id }) => id));
      await remove(
        edition,
        before.filter((id) => !found.has(id)),
      );
      for (const record of records) await patch(record);
    },
    async list(edition) {
      const all = await Promise.all(hashesOf(edition.facts).map((key) => redis.hvals(key)));
      return all
        .flat()
        .flatMap((text) => {
          const stored = v.safeParse(storedSchema, text);
          return stored.success ? { ...stored.output, edition } : [];
        })
        .toSorted(inOrderOfJoining);
    },
  };
}
