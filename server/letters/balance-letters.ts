import { contactOf } from '#server/config/office.ts';
import type { MailOf } from '#server/mail/job.ts';
import type { Sums } from '#server/mail/job-facts.ts';
import { type Installment, nextInstallment, owes } from '#server/registration/balance.ts';
import { expiryOf } from '#server/registration/card-on-file.ts';
import {
  chargeObstacle,
  isCardSpent,
  isNoticed,
  NOTICE_MS,
  tellingTimes,
} from '#server/registration/charges.ts';
import { BALANCE } from '#server/registration/ledger-of-acts.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { cancelWords } from '#shared/content/cancel-words.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDate, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import {
  chargeOf,
  hoursAfter,
  isNews,
  msUntilDue,
  type Said,
  type SomeLetters,
  sampleFacts,
  sumsOf,
} from './letter-kind.ts';
import { type FactRow, factTable, heading, type Passage } from './render/letter.ts';
import {
  beginning,
  inDollars,
  type MessageContext,
  momentOf,
  owedWords,
  ownPageButton,
  tuitionLeft,
} from './render/parts.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Time allowed from checking that a notice is due to recording that the mail server took it; with less, it is
 * not sent.
 */
const SENDING_MS = 5 * MINUTE_MS;
/** A reminder that comes sooner after the notice is of no use to her. */
const NOTICE_ALONE_MS = DAY_MS;
/** How long before the charge she is told that her card expires. */
export const CARD_EXPIRY_MS = 30 * DAY_MS;

type ChargeKind = 'balance-notice' | 'balance-postponed' | 'balance-reminder';

/**
 * The letters about a balance that is left to pay. None is true for a cancelled registration, nor if the balance is paid,
 * a charge is disputed, the deposit was refunded, or the retreat is over.
 */
export const balanceLetters = {
  /** For a month before the charge, if her card will have expired by then. */
  'card-expires': {
    name: 'Your card expires before the charge',
    subject: ({ facts }, letter) =>
      `Your card expires before ${owedWords(letter)} for ${facts.title} is charged`,
    factsAt(record, now, { one }) {
      const { card } = record;
      const untilDue = msUntilDue(one, now);
      if (!card || expiryOf(card) >= one.dueAt) return undefined;
      if (untilDue <= 0 || untilDue > CARD_EXPIRY_MS || !isToBeCharged(record, one, now)) return undefined;
      const { since: _, ...shown } = card;
      return { ...sumsOf(record, one), dueAt: one.dueAt.toISOString(), card: shown };
    },
    says(letter, edition, context) {
      const { card } = letter;
      const owed = owedWords(letter, 'the balance');
      // The last day of the month printed on the card.
      const lastDay = new Date(Date.UTC(card.expYear, card.expMonth, 0)).toISOString().slice(0, 10);
      return {
        preheader: 'You can add another card on your own page. It takes a minute.',
        title: `Your card expires before ${owed} is charged`,
        blocks: [
          `The card you gave us for ${edition.facts.title}, ${nameCard(card)}, is valid until ${formatDate(lastDay)}. ${beginning(owed)} will be charged after that, and your bank is likely to decline it.`,
          'Please add another card on your own page, or pay now. If your bank has sent you a new card with the same number, enter it there with its new expiry date.',
          ownPageButton(letter, edition, context),
          factTable(chargeFacts(letter, edition)),
        ],
      };
    },
    samples(edition) {
      const charge = sampleCharge(edition);
      const usual = { ...charge, card: { id: 'pm_1', ...charge.card, expMonth: 11, expYear: 2025 } };
      return { usual, 'of-a-part': { ...usual, ...sampleFacts(edition).ofPlan } };
    },
  },

  /** For three days after she, or somebody else who has her link, gave another card, while something is left to pay. */
  'card-on-file': {
    name: 'A new card is on file',
    subject: ({ facts }) => `A new card is on file: ${facts.title}`,
    factsAt(record, now, { one }) {
      const { givenCard: card, handedOver } = record;
      // It was detached since, or another one is on file.
      if (!card || record.card?.id !== card.id) return undefined;
      if (!isNews(card.since, 3, now) || !owes(record)) return undefined;
      // The card with which she accepted the place is in the letter about that.
      if (handedOver && card.since <= handedOver.at) return undefined;
      return {
        ...sumsOf(record, one),
        at: card.since.toISOString(),
        card: { brand: card.brand, last4: card.last4 },
        ...(isToBeCharged(record, one, now) &&
          (msUntilDue(one, now) > 0 ? { dueAt: one.dueAt.toISOString() } : { isDue: true as const })),
      };
    },
    says(letter, edition, context) {
      const { at, card, dueAt, isDue } = letter;
      const { email, phone } = context.office;
      const when = dueAt ? momentOf(dueAt, letter, edition) : isDue && 'Shortly: it is already due';
      return {
        preheader: `${nameCard(card)}. If this wasn’t you, please tell the office.`,
        title: 'A new card is on file',
        blocks: [
          `This card was added on your own page for ${edition.facts.title}. ${when ? `We will charge ${owedWords(letter)} to it, once.` : 'Nothing is charged to it automatically: your own page shows what is left to pay.'}`,
          factTable([
            { label: 'Card', value: nameCard(card), strong: true },
            { label: 'Added', value: momentOf(at, letter, edition) },
            ...(when ? [...sumFacts(letter, edition), { label: 'When', value: when }] : []),
          ]),
          ownPageButton(letter, edition, context),
        ],
        questions: `If this wasn’t you, press “${ownPageWords.close}” at the bottom of your page, and call the office at ${phone} or write to ${email} right away. We will make sure that only your own card is used.`,
      };
    },
    samples(edition) {
      const { dueAt, card, isRefundable: _, ...sums } = sampleCharge(edition);
      const given = {
        ...sums,
        at: sampleFacts(edition).earlier,
        card: { brand: 'mastercard', last4: '4444' },
      };
      const usual = { ...given, dueAt };
      return {
        usual,
        'of-a-part': { ...usual, ...sampleFacts(edition).ofPlan },
        'once-it-is-due': { ...given, isDue: true },
        'that-is-not-charged': given,
      };
    },
  },

  /**
   * From the edition's notice time on, or at once if that is past, until it would be too late to charge her
   * card.
   */
  'balance-notice': {
    name: 'The balance will be charged',
    subject: ({ facts }, letter) =>
      `${beginning(owedWords(letter))} for ${facts.title}: when your card is charged`,
    factsAt(record, now, { one }) {
      if (isPostponed(record, one) || !isToldInTime(record, one, now)) return undefined;
      return msUntilDue(one, now) <= tellingTimes(record).noticeMs ? chargeOf(record, one, now) : undefined;
    },
    says: (letter, edition, context) =>
      announceCharge(letter, edition, context, {
        preheader: (amount, date, toDo) => `${amount} on ${date}. ${toDo}`,
        title: (date) => `${beginning(owedWords(letter))} is charged on ${date}`,
        intro: letter.part
          ? `Your place in ${edition.facts.title} is reserved, and you are paying the balance through a payment plan. This is about ${nameOfPart(letter.part)}: we charge it to your card, once, as you agreed.`
          : `Your place in ${edition.facts.title} is reserved, and one payment is left: the balance. We charge it to your card, once, as you agreed when you registered.`,
        otherWay: 'If you would rather pay another way, please do so before then.',
      }),
    samples(edition) {
      const charge = sampleCharge(edition);
      return {
        usual: charge,
        'of-a-late-deposit': { ...charge, isRefundable: false, dueAt: hoursAfter(charge.dueAt, 127) },
        'with-a-scholarship': { ...charge, ...sampleFacts(edition).part },
        'for-a-card-that-expires': { ...charge, expires: true },
        'of-a-part': { ...charge, ...sampleFacts(edition).ofPlan },
      };
    },
  },

  /** The same for a date to which the office postponed it: at once, until it would be too late to charge her card then. */
  'balance-postponed': {
    name: 'The balance is charged on another day',
    subject: ({ facts }) => `Your balance for ${facts.title}: the new date`,
    factsAt(record, now, { one }) {
      return isPostponed(record, one) && isToldInTime(record, one, now)
        ? chargeOf(record, one, now)
        : undefined;
    },
    says: (letter, edition, context) =>
      announceCharge(letter, edition, context, {
        preheader: (amount, date) => `${amount} is charged on ${date}, and not before.`,
        title: (date) => `The new date of your balance: ${date}`,
        intro: `As arranged with the retreat office, your balance for ${edition.facts.title} has a new date, which replaces any earlier one. On that day we charge it to your card, once.`,
        otherWay: 'If you would rather pay another way, please do so before then.',
      }),
    samples(edition) {
      const charge = sampleCharge(edition);
      return { usual: { ...charge, dueAt: hoursAfter(charge.dueAt, 360) } };
    },
  },

  /**
   * From the edition's reminder time on until the charge, if the notice came at least a day before the
   * reminder.
   */
  'balance-reminder': {
    name: 'The balance is charged in a few days',
    subject: ({ facts }, letter) => `A reminder: ${owedWords(letter)} for ${facts.title}`,
    factsAt(record, now, { one }) {
      const { noticed, dueAt } = one;
      const { reminderMs } = tellingTimes(record);
      const untilDue = msUntilDue(one, now);
      if (!noticed || !isNoticed(record, one) || untilDue <= 0 || untilDue > reminderMs) return undefined;
      const remindAt = dueAt.getTime() - reminderMs;
      if (noticed.at.getTime() > remindAt - NOTICE_ALONE_MS) return undefined;
      return isToBeCharged(record, one, now) ? chargeOf(record, one, now) : undefined;
    },
    says: (letter, edition, context) =>
      announceCharge(letter, edition, context, {
        preheader: (amount, date) => `${amount} is charged to your card on ${date}.`,
        title: (date) => `On ${date} we charge ${owedWords(letter)}`,
        intro: `A short reminder, so that nothing comes as a surprise: ${owedWords(letter, 'the balance')} for ${edition.facts.title} is about to be charged to your card.`,
        otherWay: 'There is still time to pay another way.',
      }),
    samples(edition) {
      const usual = sampleCharge(edition);
      return { usual, 'of-a-part': { ...usual, ...sampleFacts(edition).ofPlan } };
    },
  },
} satisfies SomeLetters;

/** What differs between the letters that announce a charge. */
interface Announced {
  preheader: (amount: string, date: string, toDo: string) => string;
  title: (date: string) => string;
  intro: string;
  otherWay: string;
}

/** Announces that her card will be charged, when and how much, and what she can do before (R8). */
function announceCharge(
  letter: MailOf<ChargeKind>,
  edition: Edition,
  context: MessageContext,
  { preheader, title, intro, otherWay }: Announced,
): Said {
  const dueAt = new Date(letter.dueAt);
  const date = formatMonthAndDay(dateAt(dueAt, edition.timetable.timeZone.id));
  const toDo = letter.expires
    ? 'Your card will no longer be valid by then, so please add another one on your own page.'
    : 'You do not need to do anything.';
  const sum = formatCents(letter.beforeFeeCents);
  const checkWords = onWays(edition.facts.prices, `: that is ${sum}, without the card fee`);
  return {
    preheader: preheader(formatCents(letter.cents), date, toDo),
    title: title(date),
    blocks: [
      `${intro} ${toDo}`,
      factTable(chargeFacts(letter, edition)),
      `${otherWay} On your own page you can pay now, use another card, ask for ${letter.part ? 'another date' : 'a payment plan'}, or arrange to pay by check${checkWords}.`,
      ownPageButton(letter, edition, context),
      ...cancelling(cancelWords(letter, edition, letter.isRefundable, dueAt), edition, context),
    ],
  };
}

/** How she cancels, and what that means. */
export function cancelling(meaning: string, { facts }: Edition, { office }: MessageContext): Passage[] {
  const ways = waysToCancel(contactOf(office), facts.siteName);
  return [
    heading('If you want to cancel'),
    meaning,
    `You can cancel on your own page, or in writing, ${ways}.`,
  ];
}

/** What is left to pay, and its parts. */
export function sumFacts(sums: Sums, edition: Edition): FactRow[] {
  const { cents, beforeFeeCents } = sums;
  const [tuition, { cardFee }] = [tuitionLeft(sums), edition.facts.prices];
  const madeUpOf =
    cents > beforeFeeCents
      ? `${tuition}, and the ${cardFee} card fee of ${formatCents(cents - beforeFeeCents)}`
      : tuition !== formatCents(cents) && tuition;
  return [
    { label: 'Amount', value: inDollars(cents), strong: true },
    { label: 'Made up of', value: madeUpOf },
  ];
}

function chargeFacts(letter: MailOf<ChargeKind | 'card-expires'>, edition: Edition): FactRow[] {
  return [
    ...sumFacts(letter, edition),
    { label: 'When', value: momentOf(letter.dueAt, letter, edition) },
    { label: 'Card', value: letter.card && nameCard(letter.card) },
  ];
}

function sampleCharge(edition: Edition) {
  const { sums, card, paidAt: dueAt } = sampleFacts(edition);
  return { number: BALANCE, ...sums, isRefundable: true, dueAt, card };
}

/**
 * Whether the balance is still ahead as agreed with the deposit: charged to the card that paid it, or
 * requested.
 */
export function isBalanceAhead(record: RegistrationRecord, now: Date): boolean {
  const { decisions, card, paidAt } = record;
  const { waived, postponed } = decisions;
  const next = nextInstallment(record);
  if (!owes(record) || waived || postponed || next.part || msUntilDue(next, now) <= 0) return false;
  const obstacle = chargeObstacle(record, now, next);
  if (obstacle !== undefined) return obstacle === 'no-consent' || obstacle === 'too-late';
  const isSameCard = card !== undefined && paidAt !== undefined && card.since <= paidAt;
  return isSameCard && expiryOf(card) >= next.dueAt;
}

/** Whether her card is charged automatically, now or later. */
function isToBeCharged(record: RegistrationRecord, one: Installment, now: Date): boolean {
  return isChargeable(record, one, now) && !isCardSpent(record, one);
}

/** The same, whichever card of hers it is: nothing else prevents it. */
export function isChargeable(record: RegistrationRecord, one: Installment, now: Date): boolean {
  return owes(record) && one.left.beforeFeeCents > 0 && chargeObstacle(record, now, one) === undefined;
}

/** Whether the office has moved the balance to another day; a part of a plan has its own. */
function isPostponed({ decisions }: RegistrationRecord, { part }: Installment): boolean {
  return decisions.postponed !== undefined && part === undefined;
}

/** Whether a letter that is sent now still comes early enough before the charge that it announces. */
function isToldInTime(record: RegistrationRecord, one: Installment, now: Date): boolean {
  return isToBeCharged(record, one, now) && msUntilDue(one, now) > NOTICE_MS + SENDING_MS;
}
