import type { ActContext } from './act-context.ts';
import { type Asked, carryOut, type Told } from './carry-out.ts';

/**
 * Records that a person handles a payment that the log reported: it is not reported again, and no welcome is
 * sent.
 */
export function lookedAt(context: ActContext, paymentIntentId: string, asked: Asked): Promise<Told> {
  const says = ['This payment is marked as looked at and will not be reported again.'];
  return carryOut(asked, { says, restsOn: [paymentIntentId] }, async () => {
    const record = await context.openRecord();
    await record.markLookedAt(paymentIntentId, asked.by, await context.now());
    return [];
  });
}
