import { formatDate, formatDateRange, formatMonthAndDay } from '#shared/dates.ts';
import { addDays, dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';
import type { Edition, Facts } from './edition.ts';
import type { MailOffice } from './mails.ts';

/** What is left to pay: by card, and without the card fee, in US cents. */
export interface Sums {
  cents: number;
  beforeFeeCents: number;
}

/** Texts shared by the letters about the balance. */
export const balanceMail = {
  amount: 'Amount',
  inDollars: (cents: number) => `${formatCents(cents)} (US dollars)`,
  madeOf: 'Made up of',
  parts: ({ cents, beforeFeeCents }: Sums, { prices }: Facts) =>
    `${formatCents(beforeFeeCents)}, and the ${prices.cardFee} card fee of ${formatCents(cents - beforeFeeCents)}`,
  byCheck: 'By check',
  byCheckSum: ({ beforeFeeCents }: Sums) => `${formatCents(beforeFeeCents)}, no card fee`,
  when: 'When',
  payBy: 'Please pay by',
  card: 'Card',
  ownPage: 'Your own page',
  nothingToDo: 'You do not need to do anything.',
  anotherCard: 'Your card will no longer be valid by then, so please give us another one on your own page.',
  cancelTitle: 'If you want to cancel',
  /** @param ways `by e-mail: write to …` */
  cancelBy: (ways: string) => `You can cancel on your own page, or in writing, ${ways}.`,
  questions: ({ email, phone }: MailOffice) =>
    `If anything is unclear, reply to this e-mail, write to ${email} or call ${phone}.`,
  closing: 'Warmly,',
  reason: (pageUrl: string) => `You received this e-mail because you reserved a place at ${pageUrl}.`,
} as const;

/** The last day on which cancelling still gives a refund: an ISO date in the retreat's time zone. */
export function lastRefundDay({ facts, timetable }: Pick<Edition, 'facts' | 'timetable'>): string {
  return addDays(dateAt(new Date(facts.balance.refundsEndAt), timetable.timeZone.id), -1);
}

/**
 * What cancelling means, by the edition's own rules (R8). Before the balance is paid, nothing is charged.
 * Once it is paid, it is refunded until the end of the last day for refunds, its card fee only where the
 * edition says so.
 * @param dueAt when her card is charged; absent where it is not charged automatically
 * @param isRefundable whether the last day for refunds is not over yet
 */
export function cancelWords(
  { cents, beforeFeeCents }: Sums,
  { facts, timetable }: Edition,
  isRefundable: boolean,
  dueAt?: Date,
): string {
  const { id: zone, name } = timetable.timeZone;
  const due = dueAt && tellZonedTime(dueAt, zone, '12');
  const until = due
    ? `before ${due.clock} ${name} on ${formatMonthAndDay(due.date)}`
    : 'before the balance is paid';
  const noRefunds = 'there are no refunds, transfers or credits. The deposit is not refunded in any case.';
  if (!isRefundable)
    return `If you cancel ${until}, nothing is charged. Once the balance is paid, ${noRefunds}`;
  const lastDay = lastRefundDay({ facts, timetable });
  const day = lastDay === due?.date ? 'that day' : formatMonthAndDay(lastDay);
  const back = facts.balance.feeRefundable
    ? `brings ${formatCents(cents)} back`
    : `brings ${formatCents(beforeFeeCents)} back; the card fee of ${formatCents(cents - beforeFeeCents)} is not refunded`;
  return `If you cancel ${until}, nothing is charged. Once the balance is paid, cancelling by the end of ${day} ${back}. After that ${noRefunds}`;
}

const anotherWay = ({ beforeFeeCents }: Sums) =>
  `On your own page you can pay now, give another card, or ask us for a payment plan or to pay by check: that is ${formatCents(beforeFeeCents)}, without the card fee.`;

/** Letters that announce the charge. `date` is its formatted date, `toDo` what she must do before it. */
export const chargeMails = {
  'balance-notice': {
    subject: ({ title }: Facts) => `Your balance for ${title}: when your card is charged`,
    preheader: (amount: string, date: string, toDo: string) => `${amount} on ${date}. ${toDo}`,
    title: (date: string) => `Your balance is charged on ${date}`,
    intro: ({ title }: Facts, toDo: string) =>
      `Your place in ${title} is reserved, and one payment is left: the balance. We charge it to your card, once, as you agreed when you registered. ${toDo}`,
    anotherWay: (sums: Sums) =>
      `If you would rather do it another way, please do so before then. ${anotherWay(sums)}`,
  },
  'balance-reminder': {
    subject: ({ title }: Facts) => `A reminder: your balance for ${title}`,
    preheader: (amount: string, date: string) => `${amount} is charged to your card on ${date}.`,
    title: (date: string) => `On ${date} we charge your balance`,
    intro: ({ title }: Facts, toDo: string) =>
      `A short reminder, so that nothing surprises you: the balance for ${title} is about to be charged to your card. ${toDo}`,
    anotherWay: (sums: Sums) => `There is still time to do it another way. ${anotherWay(sums)}`,
  },
  'balance-postponed': {
    subject: ({ title }: Facts) => `Your balance for ${title}: the new date`,
    preheader: (amount: string, date: string) => `${amount} is charged on ${date}, and not before.`,
    title: (date: string) => `The new date of your balance: ${date}`,
    intro: ({ title }: Facts, toDo: string) =>
      `As arranged with the retreat office, your balance for ${title} has a new date, which replaces every earlier one. We charge it to your card then, once. ${toDo}`,
    anotherWay: (sums: Sums) =>
      `If you would rather do it another way, please do so before then. ${anotherWay(sums)}`,
  },
} as const;

/** To the registrant whose card will have expired when the balance is charged. */
export const cardExpiresMail = {
  subject: ({ title }: Facts) => `Your card expires before your balance for ${title} is charged`,
  preheader: 'You can give us another card in a minute, on your own page.',
  title: 'Your card expires before the balance is charged',
  intro: (card: string, lastDay: string, { title }: Facts) =>
    `The card that you gave us for ${title}, ${card}, is valid until ${lastDay}. The balance is charged after that, and your bank is likely to decline it.`,
  whatToDo:
    'Please give us another card on your own page, or pay now. If your bank has sent you a new card with the same number, enter it there with its new expiry date.',
} as const;

/** To a registrant whose card is not charged automatically. */
export const pleasePayMail = {
  subject: ({ title }: Facts) => `Your balance for ${title}: please pay it on your page`,
  preheader: (amount: string) => `${amount} is left to pay. It takes a minute.`,
  title: 'Please pay your balance',
  intro: ({ title }: Facts) =>
    `One payment is left for your place in ${title}: the balance. Your card is not charged automatically, so we ask you to pay it on your own page.`,
  soon: 'Please pay it as soon as you can.',
  otherwise:
    'If the sum is too much at once, or you would rather pay by check, ask us on the same page: there are payment plans, and a check costs no card fee. If you paid it in the last few minutes, thank you: your receipt is on its way.',
} as const;

/** To the registrant whose card was refused. */
export const balanceFailedMail = {
  subject: ({ title }: Facts) => `Your balance for ${title} could not be charged`,
  preheader: {
    first: 'We will try it again. Your place stays reserved.',
    last: 'Please pay it on your own page. Your place stays reserved.',
  },
  title: 'Your balance could not be charged',
  intro: (amount: string, card: string, { title }: Facts) =>
    `We tried to charge your balance for ${title} to your card, ${card}, and it did not go through. Nothing was charged, and your place stays reserved. ${amount} is left to pay.`,
  again: (when: string) =>
    `We try the same card again on ${when}. If you would rather not wait for that, pay on your own page now: then we do not try again, and you never pay twice.`,
  notAgain:
    'We will not try this card again automatically: please pay on your own page. Nothing is charged until you press the button there.',
  questions: ({ email, phone }: MailOffice) =>
    `If it is difficult at the moment, write to ${email} or call ${phone}, and we will find a way: there are payment plans, and a check costs no card fee.`,
} as const;

/** To the registrant, once both payments have come: the receipt. */
export const balancePaidMail = {
  subject: ({ title }: Facts) => `Paid in full: your receipt for ${title}`,
  preheader: 'Both payments have arrived, and nothing is left to pay.',
  title: 'Everything is paid. Thank you.',
  intro: ({ title, startDate, endDate }: Facts) =>
    `The balance has arrived. With it your place in ${title}, ${formatDateRange(startDate, endDate)}, is paid in full, and nothing is left to pay.`,
  keep: 'Please keep this e-mail: it is the receipt of both payments. Your own page has it to print, too.',
  deposit: 'The deposit',
  balance: 'The balance',
  purpose: 'For',
  name: 'Name',
  paidOn: 'Paid on',
  receivedOn: 'Received on',
  tuition: 'Tuition',
  fee: ({ prices }: Facts) => `Card fee (${prices.cardFee})`,
  charged: 'Charged',
  byCheck: 'Paid by check',
  card: 'Card',
  reference: 'Reference',
  both: 'Both together',
  waived: 'Taken off the tuition',
  total: 'Paid in all',
} as const;

/** To a registrant who requested the link to her page by entering her e-mail address. */
export const ownPageLinkMail = {
  subject: ({ title }: Facts) => `The link to your own page: ${title}`,
  preheader: 'It opens your place, your payments and the schedule.',
  title: 'Your own page',
  intro: ({ title }: Facts) =>
    `Here is the link to your own page for ${title}. It shows your place, the schedule, what is paid and what is left, and your letters.`,
  /** @param lastDay an ISO date */
  until: (lastDay: string) =>
    `It opens without a password until ${formatDate(lastDay)}, so please keep it to yourself. Opening it changes nothing.`,
  notYou:
    'Somebody asked for it with your e-mail address. If that was not you, there is nothing to do: the link went to nobody else.',
} as const;
