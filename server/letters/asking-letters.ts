import type { MailOf } from '#server/mail/job.ts';
import type { Sums } from '#server/mail/job-facts.ts';
import { type Installment, installmentsOf, owes } from '#server/registration/balance.ts';
import {
  askedToAgreeFrom,
  type ChargeObstacle,
  chargeObstacle,
  isPaying,
  lastDecline,
  lastTakenBack,
  nextTryAt,
  tellingTimes,
} from '#server/registration/charges.ts';
import { reasonOfDecline } from '#server/registration/declines.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { cancelWords } from '#shared/content/cancel-words.ts';
import { declineWords, nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { countInWords } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { cancelling, isChargeable, sumFacts } from './balance-letters.ts';
import { hoursAfter, msUntilDue, refundsOf, type SomeLetters, sampleFacts, sumsOf } from './letter-kind.ts';
import { factTable } from './render/letter.ts';
import { beginning, momentOf, owedWords, ownPageButton } from './render/parts.ts';

/** Why she is asked to pay from the notice on, since her card is not going to be charged. */
const ASKED_IN_TIME: readonly ChargeObstacle[] = ['no-consent', 'no-card', 'plan-not-agreed'];

/** Of a plan that she has not agreed to, she is asked for a part once the one before it is paid or due. */
function isAskedToAgree(record: RegistrationRecord, one: Installment, now: Date): boolean {
  const from = askedToAgreeFrom(record);
  const before = installmentsOf(record).find(({ part }) => part?.position === (one.part?.position ?? 1) - 1);
  const isTurn = !before || before.left.beforeFeeCents === 0 || before.dueAt <= now;
  return from !== undefined && from <= now && isTurn;
}

/** The letters that ask her to pay the balance, or a part of it, under the same conditions as those about its charge. */
export const askingLetters = {
  /**
   * Where her card is not charged automatically: without consent or without a card, from the notice time on;
   * where the charge would be due only after the retreat, at once; without a timely notice, once the balance
   * is due.
   */
  'please-pay': {
    name: 'Please pay the balance',
    subject({ facts }, letter) {
      const owed = `${beginning(owedWords(letter))} for ${facts.title}`;
      return letter?.isToAgree
        ? `${owed}: please agree to the plan, or pay it on your page`
        : `${owed}: please pay it on your page`;
    },
    factsAt(record, now, { one }) {
      if (!owes(record) || one.left.beforeFeeCents === 0 || isPaying(record, now)) return undefined;
      const why = chargeObstacle(record, now, one);
      const untilDue = msUntilDue(one, now);
      if (why === 'plan-not-agreed' && !isAskedToAgree(record, one, now)) return undefined;
      const isAsked =
        why === 'too-late' ||
        (why !== undefined && ASKED_IN_TIME.includes(why) && untilDue <= tellingTimes(record).noticeMs) ||
        (why === 'no-notice' && untilDue <= 0);
      if (!isAsked) return undefined;
      return {
        ...sumsOf(record, one),
        ...refundsOf(record, now),
        dueAt: one.dueAt.toISOString(),
        payBy: untilDue > 0 && why !== 'too-late' ? one.dueAt.toISOString() : undefined,
        changedAt: lastTakenBack(record)?.toISOString(),
        isToAgree: why === 'plan-not-agreed' || undefined,
      };
    },
    says(letter, edition, context) {
      const payBy = letter.payBy && momentOf(letter.payBy, letter, edition);
      const intro = introOfAsking(letter, edition);
      const { prices } = edition.facts;
      return {
        preheader: `${formatCents(letter.cents)} is ${letter.part ? 'due' : 'left to pay'}. It takes a minute.`,
        title:
          letter.part && letter.isToAgree
            ? `Please agree to your payment plan, or pay ${nameOfPart(letter.part)}`
            : `Please pay ${owedWords(letter)}`,
        blocks: [
          payBy ? intro : `${intro} Please do so as soon as you can.`,
          factTable([
            ...sumFacts(letter, edition),
            {
              label: 'By check',
              value: onWays(prices, `${formatCents(letter.beforeFeeCents)}, no card fee`),
            },
            { label: 'Please pay by', value: payBy },
          ]),
          ownPageButton(letter, edition, context),
          `If ${letter.part ? 'the date doesn’t suit you' : 'the sum is too much at once'}, or you would rather pay by check, let us know on the same page: ${otherWays(letter)}${onWays(prices, ', and a check costs no card fee')}. If you paid it in the last few minutes, thank you: your receipt is on its way.`,
          ...cancelling(cancelWords(letter, edition, letter.isRefundable), edition, context),
        ],
      };
    },
    samples(edition) {
      const { sums, ofPlan, paidAt: dueAt } = sampleFacts(edition);
      const asked = { ...sums, isRefundable: true, dueAt };
      return {
        usual: { ...asked, payBy: dueAt },
        'once-it-is-due': { ...asked, isRefundable: false },
        'of-a-part': { ...asked, ...ofPlan, payBy: dueAt },
        'of-a-plan-to-agree-to': { ...asked, ...ofPlan, payBy: dueAt, isToAgree: true },
      };
    },
  },

  /** When the card on file was declined: while a retry is planned, and again once none is. */
  'balance-failed': {
    name: 'Your card was declined',
    subject: ({ facts }, letter) => `${beginning(owedWords(letter))} for ${facts.title} could not be charged`,
    factsAt(record, now, { one }) {
      const { card } = record;
      const decline = lastDecline(record, one);
      const next = nextTryAt(record, one);
      if (!card || !decline || msUntilDue(one, now) > 0) return undefined;
      if (!isChargeable(record, one, now) || isPaying(record, now)) return undefined;
      // A retry is imminent: the letter reports its result.
      if (next && next <= now) return undefined;
      return {
        ...sumsOf(record, one),
        triedBefore: decline.try - decline.step,
        stage: next ? 'first' : 'last',
        nextAt: next?.toISOString(),
        reason: reasonOfDecline(decline.code),
        card: { id: card.id, brand: card.brand, last4: card.last4 },
        isUntried: decline !== one.decline || undefined,
      };
    },
    says(letter, edition, context) {
      const { why, advice } = declineWords[letter.reason];
      const next = letter.nextAt && momentOf(letter.nextAt, letter, edition);
      return {
        preheader:
          letter.stage === 'first'
            ? 'We will try again. Your place stays reserved.'
            : 'Please pay it on your own page. Your place stays reserved.',
        title: `${beginning(owedWords(letter))} could not be charged`,
        blocks: [
          whatFailed(letter, edition),
          `${why} ${advice}`,
          next
            ? `We will try the same card again on ${next}. If you would rather not wait, pay on your own page now: then we won’t try again, and you never pay twice.`
            : 'We will not try this card again automatically, so please pay on your own page. Nothing is charged until you press the button there.',
          ownPageButton(letter, edition, context),
        ],
        questions: `If money is tight right now, write to ${context.office.email} or call ${context.office.phone}, and we will find a way: ${otherWays(letter)}${onWays(edition.facts.prices, ', and a check costs no card fee')}.`,
      };
    },
    samples(edition) {
      const { sums, card, paidAt, ofPlan } = sampleFacts(edition);
      const refused = { ...sums, triedBefore: 0, card: { id: 'pm_1', ...card } };
      const nextAt = hoursAfter(paidAt, 24);
      return {
        usual: { ...refused, stage: 'first', reason: 'insufficient-funds', nextAt },
        last: { ...refused, stage: 'last', reason: 'declined' },
        'to-be-confirmed': { ...refused, stage: 'last', reason: 'authentication' },
        'of-a-part': { ...refused, ...ofPlan, stage: 'first', reason: 'insufficient-funds', nextAt },
        'of-a-part-after-another-one': {
          ...refused,
          ...ofPlan,
          stage: 'last',
          reason: 'card-blocked',
          isUntried: true,
        },
      };
    },
  },
} satisfies SomeLetters;

const otherWays = ({ part }: Sums): string => (part ? 'we can move a date' : 'we offer payment plans');

function introOfAsking({ part, isToAgree }: MailOf<'please-pay'>, { facts: { title } }: Edition): string {
  if (!part)
    return `One payment is left for your place in ${title}: the balance. Your card is not charged automatically, so please pay it on your own page.`;
  if (isToAgree)
    return `The balance for your place in ${title} is divided into the ${countInWords(part.count)} parts of a payment plan. You have not agreed to it yet, so nothing is charged to your card. Please pay ${nameOfPart(part)} on your own page, or agree to the plan there. Once you have agreed, each part is charged to your card on its date, if that is more than three days away.`;
  return `You are paying the balance for your place in ${title} through a payment plan, and ${nameOfPart(part)} is due. Your card is not charged automatically, so please pay it on your own page.`;
}

function whatFailed(letter: MailOf<'balance-failed'>, { facts: { title } }: Edition): string {
  const { part, isUntried, cents } = letter;
  const [owed, card] = [owedWords(letter), nameCard(letter.card)];
  const how = isUntried
    ? `${beginning(owed)} for ${title} is due. Your card, ${card}, was permanently declined before, so we have not tried it again.`
    : `We tried to charge ${owed} for ${title} to your card, ${card}, and it did not go through.`;
  const left = part ? 'is still due. The other parts keep their dates.' : 'is left to pay.';
  return `${how} Nothing was charged, and your place stays reserved. ${formatCents(cents)} ${left}`;
}
