import { chargeObstacle } from '#server/record/charge-plan.ts';
import { MOST_TRIES } from '#server/record/declines.ts';
import { balanceOfRecord, type RegistrationRecord } from '#server/record/registration-record.ts';
import { lastDecline } from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatCents } from '#shared/money.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, decide, type Told } from './carry-out.ts';
import { obstacleWords } from './charge-words.ts';
import { Refusal } from './refusal.ts';

/**
 * Has her card retried now, whatever was planned after its last decline; never without her consent and a
 * notice, and never where the card networks forbid it.
 */
export function charge(context: ActContext, id: string, asked: Asked): Promise<Told> {
  return decide(context, id, 'charge', asked, (record, act) => {
    const why = whyNotCharged(record, act.at);
    if (why !== undefined) throw new Refusal('wrongState', why);
    const { card } = record;
    const { byCardCents } = balanceOfRecord(record);
    const says = [
      `The site charges ${formatCents(byCardCents)} to her ${card ? nameCard(card) : 'card'} now.`,
    ];
    return { decision: act, says };
  });
}

/** Why the card of a balance that is due cannot be tried now, if it cannot. */
export function whyNotCharged(record: RegistrationRecord, now: Date): string | undefined {
  const obstacle = chargeObstacle(record, now);
  if (obstacle) return `Her card cannot be charged: ${obstacleWords[obstacle]}.`;
  const decline = lastDecline(record);
  if (decline?.final)
    return `Her card was refused for good (${decline.code}): she can pay, or give another card, on her page.`;
  if ((record.balance?.tries ?? 0) >= MOST_TRIES)
    return `It was tried ${MOST_TRIES} times: she can pay on her page.`;
  return undefined;
}
