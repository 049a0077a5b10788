import {
  type ActFacts,
  factsOfAct,
  isOfHolderBefore,
  owedByCheck,
  type PaidCard,
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
import {
  type Due,
  isNews,
  type LetterKinds,
  type RegistrationLetter,
  type Said,
  TO_HER,
} from './letter-kind.ts';
import { type Fact, factTable } from './render/letter.ts';
import { beginning, inDollars, type Writing } from './render/parts.ts';

/** For so many days it is news that money went back. */
const TOLD_DAYS = 30;

export const refundLetters = {
  /** Her bank refused a refund: asks where to send a check, until it is sent; not during a dispute. */
  'refund-failed': {
    ...TO_HER,
    name: 'Your bank did not accept the refund',
    subject: ({ facts }) => `Your refund for ${facts.title}: we will send it by check`,
    due(record) {
      const failed = record.refunds.filter(({ orderedBy, status }) => status === 'failed' && orderedBy);
      const cents = Math.min(owedByCheck(record), sumOfCents(failed));
      if (record.deposit !== 'paid' || record.disputed || cents === 0) return undefined;
      if (failed.some((one) => isOfHolderBefore(record, one))) return undefined;
      return {
        key: failed.map(({ id }) => id),
        says() {
          const sum = formatCents(cents);
          return {
            preheader: `${sum} is yours. Please tell us where to send the check.`,
            title: 'Your bank did not accept the refund',
            blocks: [
              `We refunded ${sum} to ${cardsOfRefund(cardOfRefunds(failed, record))}, but the bank returned it to us. That happens when a card has been closed or replaced. The money is still yours.`,
              'We will send you a check instead. Please reply to this e-mail with the mailing address for it.',
            ],
          };
        },
      };
    },
  },

  /** Of an exception, a check, or what a card brought too much, while that stands: once all is on its way. */
  'refund-made': {
    ...TO_HER,
    name: 'A refund for you',
    subject: ({ facts }) => `${facts.title}: the retreat office has sent you a refund`,
    due(record, now) {
      const { acts, ledger, deposit, decisions } = record;
      if (deposit !== 'paid') return undefined;
      const inForce = acts.filter(({ id }) => !acts.some(({ undoes }) => undoes === id));
      const ofActs = inForce.flatMap((act): (Due | undefined)[] => {
        if (act.kind === 'refund') return [refundTold(record, act.id, act.happenedAt, now)];
        if (act.kind === 'checkSent') return [checkTold(record, act.id, factsOfAct(act, 'checkSent'), now)];
        // She had paid for another place too.
        const isWhole = act.kind === 'cancel' && decisions.cancel?.whole && record.cancelled;
        return isWhole ? [refundTold(record, act.id, act.happenedAt, now)] : [];
      });
      const beyond = ledger.entries.map(({ id, movedAt }) => refundTold(record, id, movedAt, now));
      return [...ofActs, ...beyond].flatMap((one) => one ?? []);
    },
  },
} satisfies LetterKinds<RegistrationLetter>;

/** Once Stripe has made all of it; not where a bank refused some. */
function refundTold(record: RegistrationRecord, order: string, at: Date, now: Date): Due | undefined {
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
  if (!isNews(last.at, TOLD_DAYS, now)) return undefined;
  // The office tells her who had the place when it was paid.
  if (made.some((one) => isOfHolderBefore(record, one))) return undefined;
  return {
    key: [order],
    at,
    says(w) {
      const sum = formatCents(cents);
      const card = cardOfRefunds(made, record);
      return {
        preheader: `${sum} is on its way to you.`,
        title: `${sum} is on its way to you`,
        blocks: [
          `The retreat office has refunded ${sum} of what you paid for ${w.edition.facts.title} to ${card ? 'your card' : cardsOfRefund()}. ${cancelTexts.banks}`,
          factTable([
            { label: 'Amount', value: inDollars(cents), strong: true },
            { label: 'Refunded on', value: w.day(last.at) },
            how('card', card),
          ]),
        ],
      };
    },
  };
}

function checkTold({ ledger }: RegistrationRecord, act: string, sent: ActFacts<'checkSent'>, now: Date) {
  const checks = ledger.entries.filter(({ id, kind }) => kind === 'payout' && id.startsWith(`${act}-`));
  const cents = 0 - sumOfCents(checks) - sumOfFees(checks);
  if (cents === 0 || !isNews(sent.at, TOLD_DAYS, now)) return undefined;
  return {
    key: [act],
    at: sent.at,
    says(w: Writing): Said {
      const sum = formatCents(cents);
      return {
        preheader: `${sum} is on its way to you.`,
        title: `${sum} is on its way to you`,
        blocks: [
          `The retreat office has sent you a check for ${sum}, a refund from what you paid for ${w.edition.facts.title}.`,
          factTable([
            { label: 'Amount', value: inDollars(cents), strong: true },
            { label: 'Sent on', value: w.day(sent.sentAt) },
            how('check'),
          ]),
        ],
      };
    },
  };
}

/** Undefined where they go to two cards. */
function cardOfRefunds(refunds: readonly RefundOnRecord[], record: RegistrationRecord) {
  const paid = paidBalances(record);
  const cardOf = ({ of, payment }: RefundOnRecord) =>
    of === 'balance' ? paid.find(({ id }) => id === payment)?.paidWith : record.depositCard;
  return theOneOf(refunds.map(cardOf));
}

export interface Refunded {
  cardCents: number;
  checkCents: number;
  lines: readonly SumLine[];
  card?: PaidCard | undefined;
}

export function refundFacts({ cardCents, checkCents, lines, card }: Refunded): Fact[] {
  const cents = cardCents + checkCents;
  const total = { label: 'Comes back to you', strong: true };
  if (cents === 0) return [...lines.map(tellSumLine), { ...total, value: 'Nothing' }];
  const inTwoWays = `${formatCents(cardCents)} to ${cardsOfRefund(card)}, ${formatCents(checkCents)} by check`;
  return [
    ...lines.map(tellSumLine),
    { ...total, value: inDollars(cents) },
    cardCents > 0 && checkCents > 0
      ? { label: 'How', value: inTwoWays }
      : how(cardCents > 0 ? 'card' : 'check', card),
  ];
}

function how(by: 'card' | 'check', card?: PaidCard): Fact {
  const value = by === 'card' ? `To ${cardsOfRefund(card)}` : 'By check, mailed by the retreat office';
  return { label: 'How', value };
}

export function tellSumLine({ words, keptCents, why, cents }: SumLine): { label: string; value: string } {
  const shown = cents === 0 ? keptCents : cents;
  const sum = shown === undefined ? undefined : formatCents(shown);
  return { label: beginning(words), value: [sum, why].filter(Boolean).join(', ') };
}
