import {
  askedToAgreeFrom,
  type ChargeObstacle,
  chargeObstacle,
  type Installment,
  installmentsOf,
  isPaying,
  lastDecline,
  lastTakenBack,
  nextTryAt,
  owes,
  type RegistrationRecord,
  reasonOfDecline,
  tellingTimes,
} from '#server/registration/registration.ts';
import { declineWords, nameCard } from '#shared/content/card-words.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { cancelling, isChargeable } from './balance-letters.ts';
import type { Due, LetterKinds } from './letter-kind.ts';
import { msUntilDue, owedTitle, owedWords, sumFacts } from './money.ts';
import { factTable } from './render/letter.ts';
import { pageButton } from './render/parts.ts';

/** Why she is asked to pay from the notice on, since her card is not going to be charged. */
const ASKED_IN_TIME: readonly ChargeObstacle[] = ['no-consent', 'no-card', 'plan-not-agreed'];

export const askingLetters = {
  /** Without consent or card, from notice time; due after the retreat, at once; not announced, once due. */
  'please-pay': {
    name: 'Please pay the balance',
    asksToPay: true,
    moments: (record) => [askedToAgreeFrom(record)],
    due: (record, now) => installmentsOf(record).flatMap((one) => pleasePay(record, one, now) ?? []),
  },

  /** When the card on file was declined: while a retry is planned, and again once none is. */
  'balance-failed': {
    name: 'Your card was declined',
    due: (record, now) => installmentsOf(record).flatMap((one) => declined(record, one, now) ?? []),
  },
} satisfies LetterKinds;

function pleasePay(record: RegistrationRecord, one: Installment, now: Date): Due | undefined {
  if (!owes(record) || one.left.beforeFeeCents === 0 || isPaying(record, now)) return undefined;
  const why = chargeObstacle(record, now, one);
  const untilDue = msUntilDue(one, now);
  const isToAgree = why === 'plan-not-agreed';
  if (isToAgree && !isAskedToAgree(record, one, now)) return undefined;
  const isAsked =
    why === 'too-late' ||
    (why !== undefined && ASKED_IN_TIME.includes(why) && untilDue <= tellingTimes(record).noticeMs) ||
    (why === 'no-notice' && untilDue <= 0);
  if (!isAsked) return undefined;
  const { dueAt, part, left } = one;
  const sum = formatCents(left.byCardCents);
  return {
    key: [dueAt, left.byCardCents, lastTakenBack(record), ...(isToAgree ? ['to agree'] : [])],
    says(w) {
      const { title, prices } = w.edition.facts;
      const payBy = untilDue > 0 && why !== 'too-late' && w.moment(dueAt);
      const intro = part
        ? `You are paying the balance for your place in ${title} through a payment plan, and ${nameOfPart(part)} is due. Your card is not charged automatically, so please pay it on your own page.`
        : `One payment is left for your place in ${title}: the balance. Your card is not charged automatically, so please pay it on your own page.`;
      return {
        title: `Please pay ${owedWords(one)}`,
        blocks: [
          payBy ? intro : `${intro} Please do so as soon as you can.`,
          isToAgree &&
            'You have not agreed to your payment plan yet. You can do that on your own page, too: then each part that is more than three days away is charged to your card on its date.',
          factTable([
            ...sumFacts(left, w),
            {
              label: 'By check',
              value: onWays(prices, `${formatCents(left.beforeFeeCents)}, no card fee`),
            },
            { label: 'Please pay by', value: payBy },
          ]),
          pageButton(record, w, isToAgree ? 'Agree, or pay' : `Pay ${sum}`, 'balance'),
          `If ${part ? 'the date doesn’t suit you' : 'the sum is too much at once'}, or you would rather pay by check, let us know on the same page: ${otherWays(one)}${onWays(prices, ', and a check costs no card fee')}. If you paid it in the last few minutes, thank you: your receipt is on its way.`,
          ...cancelling(record, one, now, w),
        ],
      };
    },
  };
}

/** Of a plan that she has not agreed to, she is asked for a part once the one before it is paid or due. */
function isAskedToAgree(record: RegistrationRecord, one: Installment, now: Date): boolean {
  const from = askedToAgreeFrom(record);
  const before = installmentsOf(record).find(({ part }) => part?.position === (one.part?.position ?? 1) - 1);
  const isTurn = !before || before.left.beforeFeeCents === 0 || before.dueAt <= now;
  return from !== undefined && from <= now && isTurn;
}

const otherWays = ({ part }: Installment): string => (part ? 'we can move a date' : 'we offer payment plans');

function declined(record: RegistrationRecord, one: Installment, now: Date): Due | undefined {
  const { card } = record;
  const decline = lastDecline(record, one);
  const next = nextTryAt(record, one);
  if (!card || !decline || msUntilDue(one, now) > 0) return undefined;
  if (!isChargeable(record, one, now) || isPaying(record, now)) return undefined;
  // A retry is imminent: the letter reports its result.
  if (next && next <= now) return undefined;
  const { part } = one;
  // It was refused for good with another part of the plan.
  const isUntried = decline !== one.decline;
  return {
    // One for each round of tries of a card, and one when it is tried no more.
    key: [card.id, decline.try - decline.step, next ? 'first' : 'last', ...(part ? [one.number] : [])],
    says(w) {
      const { title, prices } = w.edition.facts;
      const { email, phone } = w.office;
      const { why, advice } = declineWords[reasonOfDecline(decline.code)];
      const sum = formatCents(one.left.byCardCents);
      const how = isUntried
        ? `${owedTitle(one)} for ${title} is due. Your card, ${nameCard(card)}, was permanently declined before, so we have not tried it again.`
        : `We tried to charge ${owedWords(one)} for ${title} to your card, ${nameCard(card)}, and it did not go through.`;
      const left = part ? 'is still due. The other parts keep their dates.' : 'is left to pay.';
      return {
        title: `${owedTitle(one)} could not be charged`,
        blocks: [
          `${how} Nothing was charged, and your place stays reserved. ${sum} ${left}`,
          `${why} ${advice}`,
          next
            ? `We will try the same card again on ${w.moment(next)}. If you would rather not wait, pay on your own page now: then we won’t try again, and you never pay twice.`
            : 'We will not try this card again automatically, so please pay on your own page. Nothing is charged until you press the button there.',
          pageButton(record, w, `Pay ${sum}`, 'balance'),
        ],
        questions: `If money is tight right now, write to ${email} or call ${phone}, and we will find a way: ${otherWays(one)}${onWays(prices, ', and a check costs no card fee')}.`,
      };
    },
  };
}
