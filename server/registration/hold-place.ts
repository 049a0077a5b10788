import type { Capacity } from '#server/capacity/capacity.ts';
import type { PlaceHolder } from '#server/capacity/capacity-in-redis.ts';
import { AppError } from '#server/http/app-error.ts';
import type { Facts } from '#shared/content/edition.ts';
import { messages, RETREAT_FULL } from '#shared/registration.ts';

/**
 * Holds a place for a registration while the registrant pays; if places cannot be counted, she is let
 * through.
 * @throws {AppError} when none is left
 */
export async function holdPlace(
  capacity: Pick<Capacity, 'hold'>,
  facts: Facts,
  holder: PlaceHolder,
): Promise<void> {
  const outcome = await capacity.hold(facts, holder);
  if (outcome === 'full')
    throw new AppError({ code: RETREAT_FULL, status: 409, message: messages.retreatFull });
}
