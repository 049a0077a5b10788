import { causeOf } from '#server/http/app-error.ts';
import type { Logger } from '#server/service/logger.ts';
import { repeat } from '#server/service/work.ts';
import { type Database, isRegisterAway } from './database.ts';
import { UnusableDatabaseError } from './engine.ts';
import { type Hold, readHold } from './hold.ts';

const EVERY_MS = 10_000;

/** What this process knows of the register since it last wrote there. */
export type DatabaseProbe = Awaited<ReturnType<typeof startProbe>>;

/**
 * Writes a moment into the register, now and every ten seconds, so that a register that is locked, read-only or full is known
 * before a visitor meets it.
 * @throws {UnusableDatabaseError} when this process cannot use it, and waiting would not help
 */
export async function startProbe(database: Database, logger: Logger, everyMs = EVERY_MS) {
  let state: 'writable' | 'away' | 'unusable' = 'writable';
  let awaySince: Date | undefined;
  let copiedAt: Date | null = null;
  let hold: Hold | undefined;
  const probe = async (isFirst = false): Promise<void> => {
    const before = state;
    try {
      [{ copiedAt }, hold] = await database.write(async (transaction) => [
        await transaction
          .updateTable('register')
          .set({ probedAt: new Date() })
          .returning('copiedAt')
          .executeTakeFirstOrThrow(),
        await readHold(transaction),
      ]);
      state = 'writable';
      awaySince = undefined;
      if (before !== state) logger.info('The register can be written again');
    } catch (error) {
      const cause = causeOf(error);
      state = isRegisterAway(error) && !(cause instanceof UnusableDatabaseError) ? 'away' : 'unusable';
      awaySince ??= new Date();
      if (isFirst && state === 'unusable') throw cause;
      if (before !== state) logger.error({ err: cause }, 'The register cannot be written');
    }
  };
  await probe(true);
  const { close } = repeat(() => probe(), everyMs);
  return {
    isWritable: () => state === 'writable',
    /** Since when it cannot be written. */
    awaySince: () => awaySince,
    /** For `/readyz`: one that is only away may be back soon, and the pages are served meanwhile. */
    whyNotReady: () => (state === 'unusable' ? 'register unusable' : undefined),
    /** Why nothing goes out; undefined where all does. */
    hold: () => hold,
    /** When its newest copy was made; undefined where this site makes none, as of PostgreSQL. */
    copiedAt(): Date | 'never' | undefined {
      if (database.engine === 'postgres') return undefined;
      return copiedAt === null ? 'never' : new Date(copiedAt);
    },
    close,
  };
}
