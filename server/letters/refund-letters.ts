import {
  factsOfAct,
  isOfHolderBefore,
  owedByCheck,
  paidBalances,
  type RefundOnRecord,
  type RegistrationRecord,
  sumOfCents,
  sumOfFees,
  theOneOf,
} from '#server/registration/registration.ts';
import { cancelTexts } from '#shared/content/cancel-words.ts';
import { cardsOfRefund } from '#shared/content/card-words.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import type { Due, LetterKinds, Said } from './letter-kind.ts';
import { type Fact, factTable } from './render/letter.ts';
import { beginning, inDollars, pageUrlOf, type Writing, waysToAsk } from './render/parts.ts';

export const refundLetters = {
  /** Her bank refused a refund: asks where to send a check, until it is sent; not during a dispute. */
  'refund-failed': {
    name: 'Your bank did not accept the refund',
    due(record) {
      const failed = record.refunds.filter(({ orderedBy, status }) => status === 'failed' && orderedBy);
      const cents = Math.min(owedByCheck(record), sumOfCents(failed));
      if (record.deposit !== 'paid' || record.disputed || cents === 0) return undefined;
      if (failed.some((one) => isOfHolderBefore(record, one))) return undefined;
      const sum = formatCents(cents);
      return {
        key: failed.map(({ id }) => id),
        says: () => ({
          title: 'Your bank did not accept the refund',
          blocks: [
            `We refunded ${sum} to ${cardsOfRefund(cardOfRefunds(failed, record))}, but the bank returned it to us. That happens when a card has been closed or replaced. The money is still yours.`,
            'We will send you a check instead. Please reply to this e-mail with the mailing address for it.',
          ],
        }),
      };
    },
  },

  /** Of an exception, a check, or what a card brought too much, while that stands: once all is on its way. */
  'refund-made': {
    name: 'A refund for you',
    newsDays: 30,
    due(record) {
      const { acts, ledger, deposit, decisions } = record;
      if (deposit !== 'paid') return undefined;
      const inForce = acts.filter(({ id }) => !acts.some(({ undoes }) => undoes === id));
      // Who has paid for another place too gets all of this one back.
      const isOrder = (kind: string) =>
        kind === 'refund' || (kind === 'cancel' && decisions.cancel?.whole && record.cancelled);
      const orders = [...inForce.filter(({ kind }) => isOrder(kind)), ...ledger.entries].map(({ id }) => id);
      const checks = inForce.filter(({ kind }) => kind === 'checkSent');
      return [
        ...orders.flatMap((id) => refundTold(record, id) ?? []),
        ...checks.flatMap((act) =>
          checkTold(record, act.id, factsOfAct(act, 'checkSent').sentAt, act.happenedAt),
        ),
      ];
    },
  },

  /** To her who had it and paid for it: what went back to her card since, each time. */
  'payer-refunded': {
    to: 'elsewhere',
    name: 'To who had the place: money has gone back to her card',
    newsDays: 30,
    due(record) {
      const { handedOver, refunds, deposit, acts } = record;
      if (deposit !== 'paid' || !handedOver?.email) return undefined;
      // Of an earlier holder no address is kept: the office tells her.
      if (acts.filter(({ kind }) => kind === 'handed-over').length > 1) return undefined;
      const { firstName, lastName, email } = handedOver;
      const made = refunds.filter(
        (one) => one.status !== 'failed' && one.at >= handedOver.at && isOfHolderBefore(record, one),
      );
      const orderOf = ({ orderedBy, id }: RefundOnRecord): string => orderedBy ?? id;
      return [...new Set(made.map(orderOf))].map((order): Due => {
        const same = made.filter((one) => orderOf(one) === order);
        const sum = formatCents(sumOfCents(same));
        return {
          key: [order],
          ...(same[0] && { at: same[0].at }),
          to: { email, firstName, lastName },
          says: (w) => ({
            ...onItsWay(sum, [
              `You paid for a place in ${w.title} and passed it on. It was cancelled or paid twice since, and what is refunded goes back to the card that paid: ${sum} is on its way to yours. ${cancelTexts.banks}`,
            ]),
            questions: `If anything is unclear, please ${waysToAsk(w)}.`,
            reason: `You received this e-mail because you paid for a place at ${pageUrlOf(w)}.`,
          }),
        };
      });
    },
  },
} satisfies LetterKinds;

const onItsWay = (sum: string, blocks: Said['blocks']): Said => ({
  title: `${sum} is on its way to you`,
  blocks,
});

/** Once Stripe has made all of it; not where a bank refused some. */
function refundTold(record: RegistrationRecord, order: string): Due | undefined {
  const payouts = record.ledger.payouts.filter(
    ({ orderedBy, way, insteadOf, state }) =>
      orderedBy === order && way === 'card' && insteadOf === null && state !== 'withdrawn',
  );
  const made = record.refunds.filter(({ orderedBy }) => orderedBy === order);
  const last = made.at(-1);
  const cents = sumOfCents(made);
  const isAll = cents >= sumOfCents(payouts) + sumOfFees(payouts);
  if (payouts.length === 0 || !last || !isAll || made.some(({ status }) => status === 'failed'))
    return undefined;
  // The office tells her who had the place when it was paid.
  if (made.some((one) => isOfHolderBefore(record, one))) return undefined;
  const card = cardOfRefunds(made, record);
  const to = card ? 'your card' : cardsOfRefund();
  return {
    key: [order],
    at: last.at,
    says: (w) =>
      onItsWay(formatCents(cents), [
        `The retreat office has refunded ${formatCents(cents)} of what you paid for ${w.title} to ${to}. ${cancelTexts.banks}`,
        refundTable(cents, last.at, `To ${cardsOfRefund(card)}`, w),
      ]),
  };
}

function checkTold({ ledger }: RegistrationRecord, act: string, sentAt: Date, at: Date): Due[] {
  const checks = ledger.entries.filter(({ id, kind }) => kind === 'payout' && id.startsWith(`${act}-`));
  const cents = 0 - sumOfCents(checks) - sumOfFees(checks);
  if (cents === 0) return [];
  const says = (w: Writing) =>
    onItsWay(formatCents(cents), [
      `The retreat office has sent you a check for ${formatCents(cents)}, a refund from what you paid for ${w.title}.`,
      refundTable(cents, sentAt, 'By check, mailed by the retreat office', w),
    ]);
  return [{ key: [act], at, says }];
}

const refundTable = (cents: number, at: Date, value: string, w: Writing) =>
  factTable([
    { label: 'Amount', value: inDollars(cents), strong: true },
    { label: 'Sent on', value: w.day(at) },
    { label: 'How', value },
  ]);

function cardOfRefunds(refunds: readonly RefundOnRecord[], record: RegistrationRecord) {
  const paid = paidBalances(record);
  const cardOf = ({ of, payment }: RefundOnRecord) =>
    of === 'balance' ? paid.find(({ id }) => id === payment)?.paidWith : record.depositCard;
  return theOneOf(refunds.map(cardOf));
}

export interface Refunded {
  byCardCents: number;
  byCheckCents: number;
  lines?: readonly SumLine[];
}

/** @param to what the card is called */
export function refundFacts({ byCardCents, byCheckCents, lines = [] }: Refunded, to: string): Fact[] {
  const ways = [
    byCardCents > 0 && `${formatCents(byCardCents)} to ${to}`,
    byCheckCents > 0 && `${formatCents(byCheckCents)} by check, mailed by the retreat office`,
  ];
  const value = ways.filter(Boolean).join(', ') || 'Nothing';
  return [...lines.map(tellSumLine), { label: 'Comes back', value, strong: true }];
}

function tellSumLine({ words, keptCents, why, cents }: SumLine): { label: string; value: string } {
  const shown = cents === 0 ? keptCents : cents;
  const sum = shown === undefined ? undefined : formatCents(shown);
  return { label: beginning(words), value: [sum, why].filter(Boolean).join(', ') };
}
