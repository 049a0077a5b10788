import type { MailOf } from '#server/mail/job.ts';
import { lastAct } from '#server/registration/acts.ts';
import { owedByCheck, paidBalances, theOneOf } from '#server/registration/balance.ts';
import { isOfHolderBefore } from '#server/registration/hand-over.ts';
import { sumOfCents } from '#server/registration/ledger.ts';
import type {
  PayoutOnRecord,
  RefundOnRecord,
  RegistrationRecord,
} from '#server/registration/registration-record.ts';
import { cancelTexts } from '#shared/content/cancel-words.ts';
import { cardsOfRefund } from '#shared/content/card-words.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type FactsOf, hoursAfter, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { type Fact, factTable } from './render/letter.ts';
import { beginning, dayOf, inDollars } from './render/parts.ts';

/** The letters about a refund, besides what comes back after a cancellation. */
export const refundLetters = {
  /**
   * Her bank did not take the refund of a cancellation or an exception, and where to send a check is asked: until the
   * office has sent it; not during a dispute.
   */
  'refund-failed': {
    name: 'Your bank did not accept the refund',
    subject: ({ facts }) => `Your refund for ${facts.title}: we will send it by check`,
    factsAt(record) {
      const failed = record.refunds.filter(({ orderedBy, status }) => status === 'failed' && orderedBy);
      const cents = Math.min(owedByCheck(record), sumOfCents(failed));
      if (record.deposit !== 'paid' || record.disputed || cents === 0) return undefined;
      if (failed.some((one) => isOfHolderBefore(record, one))) return undefined;
      return { refund: failed.map(({ id }) => id).join(' '), cents, card: cardOfRefunds(failed, record) };
    },
    says({ cents, card }) {
      const sum = formatCents(cents);
      return {
        preheader: `${sum} is yours. Please tell us where to send the check.`,
        title: 'Your bank did not accept the refund',
        blocks: [
          `We refunded ${sum} to ${cardsOfRefund(card)}, but the bank returned it to us. That happens when a card has been closed or replaced. The money is still yours.`,
          'We will send you a check instead. Please reply to this e-mail with the mailing address for it.',
        ],
      };
    },
    samples: (edition) => ({
      usual: { refund: 're_1', cents: 70_000, card: sampleFacts(edition).card },
    }),
  },

  /**
   * What the office has given back as an exception, as long as the decision stands, and what went back because a card had
   * brought more than was owed. Of these and a check, the one that was recorded last: the day on which a check was sent
   * lies before its record.
   */
  'refund-made': {
    name: 'A refund for you',
    subject: ({ facts }) => `${facts.title}: the retreat office has sent you a refund`,
    factsAt(record) {
      if (record.deposit !== 'paid') return undefined;
      const { checkSent } = record.decisions;
      const byCard = [exceptionOf(record), beyondOf(record)].flatMap((one) => one ?? []);
      const [last] = byCard.toSorted((one, other) => other.madeAt.localeCompare(one.madeAt));
      const isCheckLast = !last || (checkSent && checkSent.at > new Date(last.madeAt));
      return isCheckLast ? checkOf(record) : last;
    },
    says({ by, cents, madeAt, card }, edition) {
      const sum = formatCents(cents);
      return {
        preheader: `${sum} is on its way to you.`,
        title: `${sum} is on its way to you`,
        blocks: [
          by === 'card'
            ? `The retreat office has refunded ${sum} of what you paid for ${edition.facts.title} to ${card ? 'your card' : cardsOfRefund()}. ${cancelTexts.banks}`
            : `The retreat office has sent you a check for ${sum}, a refund from what you paid for ${edition.facts.title}.`,
          factTable([
            { label: 'Amount', value: inDollars(cents), strong: true },
            { label: by === 'card' ? 'Refunded on' : 'Sent on', value: dayOf(madeAt, edition) },
            how(by, card),
          ]),
        ],
      };
    },
    samples(edition) {
      const { card, paidAt } = sampleFacts(edition);
      const later = { at: hoursAfter(paidAt, 353), madeAt: hoursAfter(paidAt, 353.1) };
      return {
        usual: { ...later, cents: 2_625, by: 'card', card },
        'to-two-cards': { ...later, cents: 50_000, by: 'card' },
        'by-check': { ...later, cents: 70_000, by: 'check' },
      };
    },
  },
} satisfies SomeLetters;

/**
 * The exceptional refund that the office decided on, or that of a place that she had paid twice, once all of it is on its
 * way to her card.
 */
function exceptionOf(record: RegistrationRecord): FactsOf<'refund-made'> | undefined {
  const { cancel, refund: exception } = record.decisions;
  const whole = cancel?.whole && { ...cancel, cents: record.cancelled?.cents };
  const refund = whole || exception;
  if (refund?.cents === undefined) return undefined;
  const order = lastAct(record.acts, whole ? 'cancel' : 'refund')?.id;
  const made = record.refunds.filter(({ orderedBy }) => orderedBy === order);
  const cents = sumOfCents(made);
  const last = made.at(-1);
  if (!last || cents < refund.cents || made.some(({ status }) => status === 'failed')) return undefined;
  // The office tells her who had the place when it was paid.
  if (made.some((one) => isOfHolderBefore(record, one))) return undefined;
  return {
    at: refund.at.toISOString(),
    cents,
    by: 'card',
    madeAt: last.at.toISOString(),
    card: cardOfRefunds(made, record),
  };
}

/** What her card had brought beyond what was owed, and went back to it by itself. */
function beyondOf(record: RegistrationRecord): FactsOf<'refund-made'> | undefined {
  const isByItself = ({ orderedBy }: PayoutOnRecord) =>
    record.ledger.entries.some(({ id }) => id === orderedBy);
  const sent = record.payouts.findLast((one) => one.state === 'sent' && isByItself(one));
  const made = record.refunds.filter(
    ({ orderedBy, status }) => orderedBy === sent?.orderedBy && status !== 'failed',
  );
  const last = made.at(-1);
  if (!sent || !last || isOfHolderBefore(record, last)) return undefined;
  const [at, madeAt] = [sent.at.toISOString(), last.at.toISOString()];
  return { at, cents: sumOfCents(made), by: 'card', madeAt, card: cardOfRefunds(made, record) };
}

function checkOf({ decisions: { checkSent } }: RegistrationRecord): FactsOf<'refund-made'> | undefined {
  if (!checkSent) return undefined;
  const { at, cents, sentAt } = checkSent;
  return { at: at.toISOString(), cents, by: 'check', madeAt: sentAt.toISOString() };
}

/** The card to which refunds go; undefined where they go to two cards. */
function cardOfRefunds(refunds: readonly RefundOnRecord[], record: RegistrationRecord) {
  const paid = paidBalances(record);
  const cardOf = ({ of, payment }: RefundOnRecord) =>
    of === 'balance' ? paid.find(({ id }) => id === payment)?.paidWith : record.depositCard;
  return theOneOf(refunds.map(cardOf));
}

type Refunded = Pick<MailOf<'cancelled'>, 'cardCents' | 'checkCents' | 'lines' | 'card'>;

/** What comes back, line by line, and how. */
export function refundFacts({ cardCents, checkCents, lines, card }: Refunded): Fact[] {
  const cents = cardCents + checkCents;
  const total = { label: 'Comes back to you', strong: true };
  if (cents === 0) return [...lines.map(tellSumLine), { ...total, value: 'Nothing' }];
  return [
    ...lines.map(tellSumLine),
    { ...total, value: inDollars(cents) },
    cardCents > 0 && checkCents > 0
      ? {
          label: 'How',
          value: `${formatCents(cardCents)} to ${cardsOfRefund(card)}, ${formatCents(checkCents)} by check`,
        }
      : how(cardCents > 0 ? 'card' : 'check', card),
  ];
}

function how(by: 'card' | 'check', card: Refunded['card']): Fact {
  return {
    label: 'How',
    value: by === 'card' ? `To ${cardsOfRefund(card)}` : 'By check, mailed by the retreat office',
  };
}

/** One line of a refund: its label, and how much of it is refunded or kept, and why. */
export function tellSumLine({ words, keptCents, why, cents }: SumLine): { label: string; value: string } {
  const label = beginning(words);
  const shown = cents === 0 ? keptCents : cents;
  const sum = shown === undefined ? undefined : formatCents(shown);
  return { label, value: [sum, why].filter(Boolean).join(', ') };
}
