import {
  depositLeftOf,
  hasPlace,
  isRestByCheck,
  nextInstallment,
  owes,
  type Received,
  type RegistrationRecord,
  receivedFor,
  reductionOf,
  stateOf,
  surplusLeft,
} from '#server/registration/registration.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { cameBeside, paymentFacts } from './balance-paid.ts';
import { isNews, type LetterKinds, type RegistrationLetter, TO_HER } from './letter-kind.ts';
import { type FactRow, factTable, heading } from './render/letter.ts';
import { inDollars, pageButton, type Writing } from './render/parts.ts';
import { leftSumsOf, type Sums, sumsOf, tuitionLeft } from './sums.ts';

/** A letter about a payment that came so many days ago would surprise her. */
const TOLD_DAYS = 14;

export const receivedLetters = {
  /** A scholarship, or another price, as long as the decision stands. */
  'tuition-reduced': {
    ...TO_HER,
    name: 'A scholarship, or another price',
    asksToPay: true,
    subject: ({ facts }) => `Your scholarship for ${facts.title}`,
    due(record, now) {
      const { waived } = record.decisions;
      const reduced = reductionOf(record.decisions);
      if (!waived || !reduced || !isNews(waived.at, TOLD_DAYS, now) || !hasPlace(record)) return undefined;
      return {
        key: [waived.at],
        at: waived.at,
        says(w) {
          const { title, prices } = w.edition.facts;
          const sums = owes(record) ? leftSumsOf(record) : { cents: 0, beforeFeeCents: 0 };
          const { cents, beforeFeeCents, receivedCents } = sums;
          const surplusCents = surplusLeft(record);
          const sum = formatCents(reduced.cents);
          const isScholarship = reduced.as === 'scholarship';
          const left =
            beforeFeeCents > 0
              ? `${formatCents(cents)} by card is left to pay, or ${formatCents(beforeFeeCents)} by check.`
              : 'Nothing is left to pay.';
          return {
            ...(!isScholarship && { subject: `Your new price for ${title}` }),
            preheader: left,
            title: isScholarship ? `Your scholarship of ${sum}` : `${sum} is taken off your tuition`,
            blocks: [
              isScholarship
                ? `The retreat office has given you a scholarship of ${sum} for ${title}. We are so glad you are coming.`
                : `As arranged with the retreat office, ${sum} is taken off your tuition for ${title}.`,
              `${left}${receivedCents || beforeFeeCents === 0 ? '' : ' You don’t need to do anything.'}`,
              beforeFeeCents > 0 &&
                factTable([
                  { label: 'Left of the tuition', value: tuitionLeft(sums), strong: true },
                  {
                    label: 'By card',
                    value: `${inDollars(cents)}${onWays(prices, ', including the card fee')}`,
                  },
                ]),
              surplusCents > 0 &&
                `You have paid ${formatCents(surplusCents)} more than that. It is yours, and the retreat office will return it to you.`,
              pageButton(record, w, 'Your own page'),
            ],
          };
        },
      };
    },
  },

  /** Each that came, while something is left to pay. */
  'payment-received': {
    ...TO_HER,
    name: 'A check or a transfer came',
    asksToPay: true,
    subject: ({ facts }) => `Your payment for ${facts.title} has arrived`,
    due: (record, now) =>
      record.received.counting.flatMap((came) => {
        const left = leftOf(record, now);
        // The welcome tells of what paid the deposit and nothing else.
        const isTold =
          record.deposit === 'paid' && !receivedFor(record).balance.some(({ id }) => id === came.id);
        // She had the receipt of everything before another payment was taken back.
        const isReceipted = record.endedLetters.some(
          ({ kind, at }) => kind === 'balance-paid' && at >= came.at,
        );
        if (!left || isTold || isReceipted || !isNews(came.at, TOLD_DAYS, now)) return [];
        return {
          key: [came.id],
          at: came.at,
          says(w) {
            const sum = formatCents(came.cents);
            const { title, prices } = w.edition.facts;
            return {
              preheader: `${sum} has arrived. ${formatCents(left.beforeFeeCents)} of the ${left.ofDeposit ? 'deposit' : 'tuition'} is left.`,
              title: `${sum} has arrived. Thank you.`,
              blocks: [
                `Your payment of ${sum} ${wayOf(came)} for ${title} has arrived.`,
                factTable(paymentFacts(cameBeside(came, came.cents), w)),
                heading('What is left'),
                factTable(leftFacts(left, w)),
                left.ofDeposit
                  ? placeWords(left, w)
                  : left.byCheck
                    ? 'As arranged, you will pay the rest by check too: nothing is charged to your card.'
                    : `If you want to pay the rest by check as well, let us know on your own page${onWays(prices, ': a check costs no card fee')}.`,
                pageButton(record, w, 'Your own page', 'payments'),
              ],
            };
          },
        };
      }),
  },

  /** Each that was taken back because it bounced, while that leaves something to pay. */
  'payment-returned': {
    ...TO_HER,
    name: 'A check bounced',
    asksToPay: true,
    subject: ({ facts }) => `Your payment for ${facts.title} was returned by the bank`,
    due: (record, now) =>
      record.received.takenBack.flatMap(({ why, at, payment }) => {
        const left = why === 'bounced' && isNews(at, TOLD_DAYS, now) ? leftOf(record, now) : undefined;
        if (!left) return [];
        const isEarlier = record.handedOver !== undefined && payment.on < record.handedOver.at;
        return {
          key: [payment.id, at],
          at,
          says(w) {
            const { title } = w.edition.facts;
            const sum = formatCents(payment.cents);
            const what = `payment of ${sum} ${wayOf(payment, isEarlier)} for ${title}, which came on ${w.day(payment.on)}`;
            const whose = isEarlier
              ? `The ${what} from the person who had the place before you, was returned by the bank.`
              : `Your ${what}, was returned by the bank. That can happen to anyone.`;
            const due = left.ofDeposit
              ? placeWords(left, w)
              : 'Your place stays reserved, and this amount is due again.';
            return {
              ...(isEarlier && { subject: `A payment for ${title} was returned by the bank` }),
              preheader: `${sum} did not arrive after all.`,
              title: `${isEarlier ? 'A' : 'Your'} payment was returned`,
              blocks: [
                `${whose} ${due}`,
                factTable(leftFacts(left, w)),
                left.ofDeposit || left.byCheck
                  ? 'You can send another check, or call the office if you want to pay another way.'
                  : 'You can pay on your own page, or send another check. We never charge your card without an e-mail that first tells you when and how much.',
                pageButton(record, w, 'Your own page', 'balance'),
              ],
            };
          },
        };
      }),
  },
} satisfies LetterKinds<RegistrationLetter>;

interface Left extends Sums {
  /** The sums are those of the deposit, for which her place is held until then. */
  ofDeposit?: true;
  heldUntil?: Date | undefined;
  /** Absent when that is past. */
  dueAt?: Date | undefined;
  next?: Sums | undefined;
  byCheck?: boolean;
}

function leftOf(record: RegistrationRecord, now: Date): Left | undefined {
  const { held } = record.decisions;
  if (record.deposit === 'unpaid' && held) {
    const cents = depositLeftOf(record);
    const heldUntil = stateOf(record, now) === 'held' ? held.until : undefined;
    return { cents, beforeFeeCents: cents, ofDeposit: true, heldUntil };
  }
  if (!owes(record)) return undefined;
  const one = nextInstallment(record);
  return {
    ...leftSumsOf(record),
    next: one.part && sumsOf(record, one),
    dueAt: one.dueAt > now ? one.dueAt : undefined,
    byCheck: isRestByCheck(record),
  };
}

function wayOf({ way, number }: Received, isEarlier = false): string {
  const words = ownPageWords.payments.by[way];
  return way === 'check' && number && !isEarlier ? `${words} (number ${number})` : words;
}

function placeWords({ heldUntil }: Left, w: Writing): string {
  return heldUntil
    ? `Your place is held until ${w.day(heldUntil)}: it is yours once the whole deposit has arrived.`
    : 'Your place is no longer held. Please call the office: if a place is still free, it can be yours.';
}

function leftFacts(left: Left, w: Writing): FactRow[] {
  const { cents, beforeFeeCents, dueAt, next, byCheck } = left;
  const { prices } = w.edition.facts;
  if (left.ofDeposit)
    return [{ label: 'Left of the deposit', value: inDollars(beforeFeeCents), strong: true }];
  const byCard = `${formatCents(cents)}${onWays(prices, `, including the ${prices.cardFee} fee`)}`;
  return [
    { label: 'Tuition', value: tuitionLeft(left) },
    { label: 'By check or transfer', value: inDollars(beforeFeeCents), strong: true },
    { label: 'Or by card', value: !byCheck && byCard },
    ...(next?.part
      ? [{ label: `${titleOfPart(next.part)} of your plan`, value: formatCents(next.beforeFeeCents) }]
      : []),
    { label: 'Due', value: dueAt && w.day(dueAt) },
  ];
}
