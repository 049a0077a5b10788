import { chargeObstacle } from '#server/record/charge-plan.ts';
import { MOST_TRIES } from '#server/record/declines.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import { lastDecline } from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatCents } from '#shared/money.ts';
import { obstacleWords } from './charge-words.ts';
import { decisionAct, type Standing } from './registration-act.ts';

/**
 * Has her card retried now, whatever was planned after its last decline; never without her consent and a notice, and
 * never where the card networks forbid it.
 */
export const charge = decisionAct({
  id: 'charge',
  heading: 'Charge her card now',
  sentence: 'Tries her card again at once, also before the day that was planned after a decline.',
  group: 'money',
  help: [
    'Has the worker try her card again now, also before the day that was planned after a decline; never without her',
    'consent and a notice, or where the card was refused for good.',
  ],
  confirm: (_given, _told, { record }) =>
    `Charge ${formatCents(balanceOfRecord(record).byCardCents)} to her card now`,
  decides: 'charge',
  whyNot: whyNotCharged,
  plan(record, act) {
    const card = record.card ? nameCard(record.card) : 'card';
    const cents = formatCents(balanceOfRecord(record).byCardCents);
    return { decision: act, says: [`The site charges ${cents} to her ${card} now.`] };
  },
});

function whyNotCharged({ record, now }: Standing): string | undefined {
  const obstacle = chargeObstacle(record, now);
  if (obstacle) return `Her card cannot be charged: ${obstacleWords[obstacle]}.`;
  const decline = lastDecline(record);
  if (decline?.final)
    return `Her card was refused for good (${decline.code}): she can pay, or give another card, on her page.`;
  if ((record.balance?.tries ?? 0) >= MOST_TRIES)
    return `It was tried ${MOST_TRIES} times: she can pay on her page.`;
  return undefined;
}
