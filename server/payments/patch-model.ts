import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import type { Payments } from './payments.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** How long the caller that reports a change may wait for the read model to be written. */
export const PATCH_TIMEOUT_MS = 3_000;

/** The read model that is shown to people, see `server/register/read-model.ts`. */
export interface PatchableModel {
  takeTurn(): Promise<number>;
  patch(turn: number, registrations: readonly RegistrationRecord[]): Promise<void>;
}

interface PatchDependencies {
  payments: Pick<Payments, 'findRegistration'>;
  readModel: PatchableModel;
  logger: Logger;
}

/**
 * Writes the current registration of a payment to the read model. If that fails, the next walk does it.
 * @returns the registration as Stripe has it now; undefined when there is none, or it could not be written
 */
export async function patchModel(
  paymentIntentId: string,
  { payments, readModel, logger }: PatchDependencies,
): Promise<RegistrationRecord | undefined> {
  const patch = async (): Promise<RegistrationRecord | undefined> => {
    const turn = await readModel.takeTurn();
    const registration = await payments.findRegistration(paymentIntentId);
    if (registration) await readModel.patch(turn, [registration]);
    return registration;
  };
  try {
    return await withTimeout(patch(), PATCH_TIMEOUT_MS);
  } catch (error) {
    const facts = { err: error, paymentIntent: paymentIntentId };
    logger.warn(facts, 'The list of registrations could not be updated: the next walk will do it');
    return undefined;
  }
}
