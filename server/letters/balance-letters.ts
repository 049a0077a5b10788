import { contactOf } from '#server/config/office.ts';
import {
  balanceTermsOf,
  chargeObstacle,
  expiryOf,
  type Installment,
  installmentsOf,
  isCardSpent,
  isNoticed,
  NOTICE_MS,
  owes,
  type RegistrationRecord,
  tellingTimes,
} from '#server/registration/registration.ts';
import { cancelWords } from '#shared/content/cancel-words.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import type { Due, LetterKinds } from './letter-kind.ts';
import { comesNext, msUntilDue, owedTitle, owedWords, sumFacts } from './money.ts';
import { type FactRow, factTable, heading, type Passage } from './render/letter.ts';
import { pageButton, type Writing } from './render/parts.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** From checking that a notice is due until a mail server has taken it; with less time it is not sent. */
const SENDING_MS = 5 * MINUTE_MS;
/** A reminder that comes sooner after the notice is of no use to her. */
const NOTICE_ALONE_MS = DAY_MS;

/** None once she cancelled, paid all or disputes a charge, nor after the retreat: see `chargeObstacle`. */
export const balanceLetters = {
  /** For three days after she, or who else has her link, gave another card, while something is to pay. */
  'card-on-file': {
    name: 'A new card is on file',
    newsDays: 3,
    due(record, now) {
      const { givenCard: card, handedOver, paidAt } = record;
      if (!card || record.card?.id !== card.id) return undefined;
      if (!owes(record)) return undefined;
      // With it she paid the deposit of a place that was held.
      if (paidAt && card.since <= paidAt) return undefined;
      // The card with which she accepted the place is in the letter about that.
      if (handedOver && card.since <= handedOver.at) return undefined;
      return {
        at: card.since,
        says(w) {
          const { email, phone } = w.office;
          return {
            title: 'A new card is on file',
            blocks: [
              `This card was added on your own page for ${w.title}. ${comesNext(record, now, w)}`,
              factTable([
                { label: 'Card', value: nameCard(card), strong: true },
                { label: 'Added', value: w.moment(card.since) },
              ]),
              pageButton(record, w, 'Your own page'),
            ],
            questions: `If this wasn’t you, press “${ownPageWords.close}” at the bottom of your page, and call the office at ${phone} or write to ${email} right away. We will make sure that only your own card is used.`,
          };
        },
      };
    },
  },

  /**
   * From the edition's notice time on, or at once if past, until it is too late to charge her card; for a date to
   * which the office postponed it, at once.
   */
  'balance-notice': {
    name: 'The balance will be charged',
    announcesCharge: true,
    moments: (record) => beforeCharges(record, tellingTimes(record).noticeMs),
    due: (record, now) =>
      installmentsOf(record).flatMap((one) => {
        const isNewDate = record.decisions.postponed !== undefined && !one.part;
        const untilDue = msUntilDue(one, now);
        if (!isToBeCharged(record, one, now) || untilDue <= NOTICE_MS + SENDING_MS) return [];
        if (!isNewDate && untilDue > tellingTimes(record).noticeMs) return [];
        return announcement(record, one, now, isNewDate ? 'new date' : 'notice');
      }),
  },

  /** From the edition's reminder time until the charge, if the notice came at least a day before that. */
  'balance-reminder': {
    name: 'The balance is charged in a few days',
    moments: (record) => beforeCharges(record, tellingTimes(record).reminderMs),
    due: (record, now) =>
      installmentsOf(record).flatMap((one) => {
        const { noticed, dueAt } = one;
        const { reminderMs } = tellingTimes(record);
        const untilDue = msUntilDue(one, now);
        if (!noticed || !isNoticed(record, one) || untilDue <= 0 || untilDue > reminderMs) return [];
        if (noticed.at.getTime() > dueAt.getTime() - reminderMs - NOTICE_ALONE_MS) return [];
        if (!isToBeCharged(record, one, now)) return [];
        const { notice: _, ...reminder } = announcement(record, one, now, 'reminder');
        return reminder;
      }),
  },
} satisfies LetterKinds;

function beforeCharges(record: RegistrationRecord, ms: number): Date[] {
  return installmentsOf(record).map(({ dueAt }) => new Date(dueAt.getTime() - ms));
}

function announcement(
  record: RegistrationRecord,
  one: Installment,
  now: Date,
  as: 'notice' | 'new date' | 'reminder',
): Due {
  const { number, dueAt, noticed, part, left } = one;
  const { byCardCents: cents, beforeFeeCents } = left;
  const { card } = record;
  return {
    // She is told of each change, also of one that was changed back: the notice before differs then.
    key: [dueAt, cents, noticed?.at],
    notice: { number, dueAt, cents },
    says(w) {
      const { edition } = w;
      const { prices } = edition.facts;
      const date = formatMonthAndDay(dateAt(dueAt, edition.timetable.timeZone.id));
      const toDo =
        card && expiryOf(card) < dueAt
          ? 'Your card will no longer be valid by then, so please add another one on your own page.'
          : 'You do not need to do anything.';
      const notice = part
        ? `Your place in ${w.title} is reserved, and you are paying the balance through a payment plan. This is about ${nameOfPart(part)}: we charge it to your card, once, as you agreed.`
        : `Your place in ${w.title} is reserved, and one payment is left: the balance. We charge it to your card, once, as you agreed when you registered.`;
      const intros = {
        notice,
        'new date': `As arranged with the retreat office, your balance for ${w.title} has a new date, which replaces any earlier one. On that day we charge it to your card, once.`,
        reminder: `A short reminder, so that nothing comes as a surprise: ${owedWords(one, 'the balance')} for ${w.title} is about to be charged to your card.`,
      };
      const byCheck = onWays(prices, `: that is ${formatCents(beforeFeeCents)}, without the card fee`);
      return {
        title:
          as === 'reminder'
            ? `A reminder: ${owedWords(one)} is charged on ${date}`
            : `${owedTitle(one)} is charged on ${date}`,
        blocks: [
          `${intros[as]} ${toDo}`,
          factTable(chargeFacts(record, one, w)),
          `If you would rather pay another way, please do so before then. On your own page you can pay now, use another card, ask for ${part ? 'another date' : 'a payment plan'}, or arrange to pay by check${byCheck}.`,
          pageButton(record, w, 'Your own page', 'balance'),
          ...cancelling(record, one, now, w, dueAt),
        ],
      };
    },
  };
}

/** @param dueAt when her card is charged; absent where it is not */
export function cancelling(
  record: RegistrationRecord,
  { left, part }: Installment,
  now: Date,
  { edition, office }: Writing,
  dueAt?: Date,
): Passage[] {
  const sums = { cents: left.byCardCents, beforeFeeCents: left.beforeFeeCents, part };
  const isRefundable = now < new Date(balanceTermsOf(record).balance.refundsEndAt);
  const ways = waysToCancel(contactOf(office), edition.facts.siteName);
  return [
    heading('If you want to cancel'),
    cancelWords(sums, edition, isRefundable, dueAt),
    `You can cancel on your own page, or in writing, ${ways}.`,
  ];
}

function chargeFacts(record: RegistrationRecord, one: Installment, w: Writing): FactRow[] {
  return [
    ...sumFacts(one.left, w),
    { label: 'When', value: w.moment(one.dueAt) },
    { label: 'Card', value: record.card && nameCard(record.card) },
  ];
}

function isToBeCharged(record: RegistrationRecord, one: Installment, now: Date): boolean {
  return isChargeable(record, one, now) && !isCardSpent(record, one);
}

export function isChargeable(record: RegistrationRecord, one: Installment, now: Date): boolean {
  return owes(record) && one.left.beforeFeeCents > 0 && chargeObstacle(record, now, one) === undefined;
}
