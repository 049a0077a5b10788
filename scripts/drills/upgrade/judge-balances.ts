import { jobIdOf } from '#scripts/drills/chaos/judge-mails.ts';
import type { Visit } from '#scripts/drills/chaos/visits.ts';
import type { MailKind } from '#server/mail/job.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { UpgradeStage } from './stage.ts';

/** What happened to the balances of those who paid the deposit. */
export interface BalanceCount {
  expected: number;
  charged: number;
  /** How many of their letters came: notice, reminder and receipt. */
  letters: number;
  doubled: number;
  problems: string[];
}

/** The letters about a balance, by the moment after which each has come. */
const LETTERS: readonly (readonly [string, MailKind])[] = [
  [facts.balance.noticeAt, 'balance-notice'],
  [facts.balance.reminderAt, 'balance-reminder'],
  [facts.balance.chargeAt, 'balance-paid'],
];

/**
 * Checks that each charge and letter that is due by a moment came once, to the right person, with the right
 * sum.
 */
export async function judgeBalances(
  { stripe, sink }: Pick<UpgradeStage, 'stripe' | 'sink'>,
  paid: readonly Visit[],
  moment: string,
): Promise<BalanceCount> {
  const problems: string[] = [];
  const due = LETTERS.filter(([at]) => at <= moment).map(([, kind]) => kind);
  let [letters, doubled] = [0, 0];
  for (const { paymentIntentId, visitor } of paid) {
    for (const kind of due) {
      const copies = sink.mails.filter((mail) => jobIdOf(mail).startsWith(`${kind}-${paymentIntentId}-`));
      letters += Math.min(copies.length, 1);
      doubled += Math.max(copies.length - 1, 0);
      if (copies.length !== 1) problems.push(`${copies.length} × ${kind} of ${paymentIntentId}`);
      if (copies.some(({ recipients }) => recipients.join() !== visitor.email))
        problems.push(`${kind} of ${paymentIntentId} went to somebody else`);
    }
  }
  if (!due.includes('balance-paid')) return { expected: paid.length, charged: 0, letters, doubled, problems };
  const charges = await stripe.charges.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const balances = charges.filter(({ amount, paid }) => paid && amount === facts.prices.balanceCents);
  const customers = new Set(balances.map(({ customer }) => customer));
  if (customers.size !== paid.length)
    problems.push(`${customers.size} balances are charged instead of ${paid.length}`);
  if (customers.size !== balances.length)
    problems.push(`${balances.length - customers.size} balances are charged twice`);
  return { expected: paid.length, charged: customers.size, letters, doubled, problems };
}
