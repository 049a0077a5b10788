import { causeOf } from '#server/http/app-error.ts';
import type { Logger } from '#server/service/logger.ts';
import { repeat } from '#server/service/work.ts';
import { UnusableDatabaseError } from './engine.ts';
import { type Database, isRegisterAway } from './open-database.ts';

const EVERY_MS = 10_000;

export type DatabaseProbe = Awaited<ReturnType<typeof startProbe>>;

/** Knows before a visitor does that the register is locked, read-only or full. @throws {UnusableDatabaseError} */
export async function startProbe(database: Database, logger: Logger, everyMs = EVERY_MS) {
  let state: 'writable' | 'away' | 'unusable' = 'writable';
  let awaySince: Date | undefined;
  const probe = async (isFirst = false): Promise<void> => {
    const before = state;
    try {
      const probedAt = new Date();
      await database.write((transaction) => transaction.updateTable('register').set({ probedAt }).execute());
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
    awaySince: () => awaySince,
    /** For `/readyz`: one that is only away may be back soon, and the pages are served meanwhile. */
    whyNotReady: () => (state === 'unusable' ? 'register unusable' : undefined),
    close,
  };
}
