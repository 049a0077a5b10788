import type { MailOf } from '#server/mail/job.ts';
import { type Installment, isRestByCheck, owes, surplusLeft } from '#server/registration/balance.ts';
import { reductionOf } from '#server/registration/decisions.ts';
import { depositLeftOf, receivedFor } from '#server/registration/deposit.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasPlace, stateOf } from '#server/registration/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { partReceived, receivedFacts } from './balance-paid.ts';
import { hoursAfter, isNews, leftSumsOf, type SomeLetters, sampleFacts, sumsOf } from './letter-kind.ts';
import { type FactRow, factTable, heading } from './render/letter.ts';
import { dayOf, inDollars, ownPageButton, tuitionLeft } from './render/parts.ts';

/** A letter about a payment that came so many days ago would surprise her. */
const TOLD_DAYS = 14;

/** The letters about what lowers the balance, besides the receipt once everything is paid. */
export const receivedLetters = {
  /** A scholarship, or another price, as long as the decision stands. */
  'tuition-reduced': {
    name: 'A scholarship, or another price',
    subject: ({ facts }, letter) =>
      letter?.reduced.as === 'reduction'
        ? `Your new price for ${facts.title}`
        : `Your scholarship for ${facts.title}`,
    factsAt(record, now) {
      const { waived } = record.decisions;
      const reduced = reductionOf(record.decisions);
      if (!waived || !reduced || !isNews(waived.at, TOLD_DAYS, now) || !hasPlace(record)) return undefined;
      const sums = owes(record) ? leftSumsOf(record) : { cents: 0, beforeFeeCents: 0 };
      return { at: waived.at.toISOString(), ...sums, reduced, surplusCents: surplusLeft(record) };
    },
    says(letter, edition, context) {
      const { reduced, cents, beforeFeeCents, surplusCents } = letter;
      const fee = onWays(edition.facts.prices, ', including the card fee');
      const sum = formatCents(reduced.cents);
      const isScholarship = reduced.as === 'scholarship';
      const left =
        beforeFeeCents > 0
          ? `${formatCents(cents)} by card is left to pay, or ${formatCents(beforeFeeCents)} by check.`
          : 'Nothing is left to pay.';
      return {
        preheader: left,
        title: isScholarship ? `Your scholarship of ${sum}` : `${sum} is taken off your tuition`,
        blocks: [
          isScholarship
            ? `The retreat office has given you a scholarship of ${sum} for ${edition.facts.title}. We are so glad you are coming.`
            : `As arranged with the retreat office, ${sum} is taken off your tuition for ${edition.facts.title}.`,
          `${left}${letter.receivedCents || beforeFeeCents === 0 ? '' : ' You don’t need to do anything.'}`,
          beforeFeeCents > 0 &&
            factTable([
              { label: 'Left of the tuition', value: tuitionLeft(letter), strong: true },
              { label: 'By card', value: `${inDollars(cents)}${fee}` },
            ]),
          surplusCents > 0 &&
            `You have paid ${formatCents(surplusCents)} more than that. It is yours, and the retreat office will return it to you.`,
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const { part, earlier } = sampleFacts(edition);
      const usual = { at: earlier, ...part, surplusCents: 0 };
      const whole = edition.facts.prices.balanceBeforeFeeCents;
      const nothingLeft = { at: earlier, cents: 0, beforeFeeCents: 0 };
      return {
        usual,
        'another-price': { ...usual, reduced: { ...part.reduced, as: 'reduction' } },
        'of-all-that-is-left': {
          ...nothingLeft,
          reduced: { cents: whole, as: 'scholarship' },
          surplusCents: 0,
        },
        'beyond-what-is-left': {
          ...nothingLeft,
          reduced: { cents: whole + 10_000, as: 'scholarship' },
          surplusCents: 10_000,
        },
      };
    },
  },

  /** The last one that came, while something is left to pay. */
  'payment-received': {
    name: 'A check or a transfer came',
    subject: ({ facts }) => `Your payment for ${facts.title} has arrived`,
    factsAt(record, now, { one }) {
      const last = record.received.counting
        .toSorted((one, other) => Number(one.at) - Number(other.at))
        .at(-1);
      const isReturned = record.received.takenBack.some(({ at }) => last && at >= last.at);
      // The welcome tells of what paid the deposit and nothing else.
      const isTold =
        record.deposit === 'paid' && !receivedFor(record).balance.some(({ id }) => id === last?.id);
      if (!last || isTold || isReturned || !isNews(last.at, TOLD_DAYS, now)) return undefined;
      const left = leftOf(record, one, now);
      const payment = partReceived({ ...last, ofCents: last.cents });
      return left && { at: last.at.toISOString(), payment, ...left };
    },
    says(letter, edition, context) {
      const { payment } = letter;
      const sum = formatCents(payment.cents);
      return {
        preheader: `${sum} has arrived. ${formatCents(letter.beforeFeeCents)} of the ${letter.ofDeposit ? 'deposit' : 'tuition'} is left.`,
        title: `${sum} has arrived. Thank you.`,
        blocks: [
          `Your payment of ${sum} ${wayOf(letter)} for ${edition.facts.title} has arrived.`,
          factTable(receivedFacts(payment, edition)),
          heading('What is left'),
          factTable(leftFacts(letter, edition)),
          letter.ofDeposit
            ? placeWords(letter, edition)
            : letter.byCheck
              ? 'As arranged, you will pay the rest by check too: nothing is charged to your card.'
              : `If you want to pay the rest by check as well, let us know on your own page${onWays(edition.facts.prices, ': a check costs no card fee')}.`,
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const sample = sampleReceived(edition);
      return {
        usual: sample,
        'with-the-rest-by-check': { ...sample, byCheck: true },
        'of-a-plan': { ...sample, next: sampleFacts(edition).ofPlan },
        'of-the-deposit': { ...sample, ...sampleOfDeposit(edition) },
      };
    },
  },

  /** The last one that was taken back because it bounced, while that leaves something to pay. */
  'payment-returned': {
    name: 'A check bounced',
    subject: ({ facts }, letter) =>
      `${letter?.isEarlier ? 'A' : 'Your'} payment for ${facts.title} was returned by the bank`,
    factsAt(record, now, { one }) {
      const last = record.received.takenBack.findLast(({ why }) => why === 'bounced');
      const left = last && isNews(last.at, TOLD_DAYS, now) ? leftOf(record, one, now) : undefined;
      if (!last || !left) return undefined;
      const payment = partReceived({ ...last.payment, ofCents: last.payment.cents });
      const { handedOver } = record;
      const isEarlier = (handedOver && last.payment.on < handedOver.at) || undefined;
      return { at: last.at.toISOString(), payment, isEarlier, ...left };
    },
    says(letter, edition, context) {
      const sum = formatCents(letter.payment.cents);
      const came = dayOf(letter.payment.paidAt, edition);
      const what = `payment of ${sum} ${wayOf(letter)} for ${edition.facts.title}, which came on ${came}`;
      return {
        preheader: `${sum} did not arrive after all.`,
        title: `${letter.isEarlier ? 'A' : 'Your'} payment was returned`,
        blocks: [
          `${letter.isEarlier ? `The ${what} from the person who had the place before you, was returned by the bank.` : `Your ${what}, was returned by the bank. That can happen to anyone.`} ${letter.ofDeposit ? placeWords(letter, edition) : 'Your place stays reserved, and this amount is due again.'}`,
          factTable(leftFacts(letter, edition)),
          letter.ofDeposit || letter.byCheck
            ? 'You can send another check, or call the office if you want to pay another way.'
            : 'You can pay on your own page, or send another check. We never charge your card without an e-mail that first tells you when and how much.',
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples: (edition) => ({
      usual: sampleReceived(edition),
      'of-the-deposit': { ...sampleReceived(edition), ...sampleOfDeposit(edition) },
      'from-who-had-the-place-before': { ...sampleReceived(edition), isEarlier: true },
    }),
  },
} satisfies SomeLetters;

type AboutPayment = MailOf<'payment-received' | 'payment-returned'>;

/** What is left of the deposit of a place that was held, or of the balance; undefined where nothing is. */
function leftOf(record: RegistrationRecord, one: Installment, now: Date) {
  const { held } = record.decisions;
  if (record.deposit === 'unpaid' && held) {
    const beforeFeeCents = depositLeftOf(record);
    const heldUntil = stateOf(record, now) === 'held' ? held.until.toISOString() : undefined;
    return { cents: beforeFeeCents, beforeFeeCents, ofDeposit: true as const, heldUntil };
  }
  if (!owes(record)) return undefined;
  const { dueAt } = one;
  return {
    ...leftSumsOf(record),
    next: one.part && sumsOf(record, one),
    dueAt: dueAt > now ? dueAt.toISOString() : undefined,
    byCheck: isRestByCheck(record) || undefined,
  };
}

const wayOf = ({ payment: { by, reference }, isEarlier }: AboutPayment) =>
  [ownPageWords.payments.by[by], by === 'check' && reference && !isEarlier ? `(number ${reference})` : '']
    .filter(Boolean)
    .join(' ');

/** What becomes of a place while a part of its deposit is left. */
function placeWords({ heldUntil }: AboutPayment, edition: Edition): string {
  return heldUntil
    ? `Your place is held until ${dayOf(heldUntil, edition)}: it is yours once the whole deposit has arrived.`
    : 'Your place is no longer held. Please call the office: if a place is still free, it can be yours.';
}

function leftFacts(letter: AboutPayment, edition: Edition): FactRow[] {
  const { cents, beforeFeeCents, dueAt, next } = letter;
  const { prices } = edition.facts;
  if (letter.ofDeposit)
    return [{ label: 'Left of the deposit', value: inDollars(beforeFeeCents), strong: true }];
  return [
    { label: 'Tuition', value: tuitionLeft(letter) },
    { label: 'By check or transfer', value: inDollars(beforeFeeCents), strong: true },
    {
      label: 'Or by card',
      value:
        !letter.byCheck && `${formatCents(cents)}${onWays(prices, `, including the ${prices.cardFee} fee`)}`,
    },
    ...(next?.part
      ? [{ label: `${titleOfPart(next.part)} of your plan`, value: formatCents(next.beforeFeeCents) }]
      : []),
    { label: 'Due', value: dueAt && dayOf(dueAt, edition) },
  ];
}

function sampleOfDeposit(edition: Edition) {
  const left = { cents: 49_500, beforeFeeCents: 49_500, ofDeposit: true as const };
  return { ...left, heldUntil: sampleFacts(edition).earlier };
}

function sampleReceived(edition: Edition) {
  const { part, earlier, paidAt } = sampleFacts(edition);
  const { reduced, ...left } = part;
  const { cents } = reduced;
  const check = { by: 'check', paidAt: earlier, reference: '1042' } as const;
  const payment = { ...check, cents, beforeFeeCents: cents };
  return { at: hoursAfter(earlier, 1), payment, ...left, receivedCents: cents, dueAt: paidAt };
}
