import type { CapacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { WaitingRecord } from '#server/payments/waiting-record.ts';
import type { WaitingModel } from '#server/register/waiting-model.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';

/** How long Redis may take; if it fails, the next walk does it. */
const REDIS_TIMEOUT_MS = 1_000;

export interface LeaveDependencies {
  payments: Pick<Payments, 'waiting'>;
  waitingModel: Pick<WaitingModel, 'remove'>;
  capacityInRedis: Pick<CapacityInRedis, 'endOffer'>;
  logger: Logger;
  now: () => Date;
}

/**
 * Removes an entry from the list, with all her data; a person who is not on it any more also counts as
 * `left`.
 */
export async function leaveWaitingList(
  waitingId: string,
  { payments, logger, ...dependencies }: Omit<LeaveDependencies, 'now'>,
): Promise<'left' | 'took'> {
  const record = await payments.waiting.find(waitingId);
  if (!record) return 'left';
  const outcome = await payments.waiting.leave(record);
  if (outcome === 'took') return 'took';
  await hide(record, { logger, ...dependencies });
  logger.info({ waiting: waitingId }, 'Somebody has left the waiting list');
  return 'left';
}

/** Removes an entry from the read model, and gives its place back. */
export async function hide(
  record: WaitingRecord,
  {
    waitingModel,
    capacityInRedis,
    logger,
  }: Pick<LeaveDependencies, 'waitingModel' | 'capacityInRedis' | 'logger'>,
): Promise<void> {
  const inRedis = async (): Promise<void> => {
    await waitingModel.remove(record);
    await capacityInRedis.endOffer(record.edition.facts, record.id);
  };
  await withTimeout(inRedis(), REDIS_TIMEOUT_MS).catch((error: unknown) => {
    logger.warn({ err: error, waiting: record.id }, 'The next walk shows who has left the waiting list');
  });
}
