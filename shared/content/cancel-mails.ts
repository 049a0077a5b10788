import { formatDate, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { balanceMail, lastRefundDay, type Sums } from './balance-mails.ts';
import type { Edition, Facts } from './edition.ts';
import type { MailOffice } from './mails.ts';
import type { SumLine } from './tuition.ts';

/** Texts shared by the letters about cancelling and refunds. */
export const refundMail = {
  title: 'What comes back to you',
  total: 'Comes back to you',
  nothing: 'Nothing',
  byPolicy: 'By the policies that you agreed to, nothing comes back.',
  how: 'How',
  toCard: (card?: string) => (card ? `To your card, ${card}` : 'To your card'),
  byCheck: 'By check, by post from the retreat office',
  banks: 'Banks usually show it within 5 to 10 business days.',
  nothingCharged: 'Nothing more is charged.',
} as const;

/** One line of a refund: its label, and how much of it is refunded or kept, and why. */
export function tellSumLine({ words, keptCents, why, cents }: SumLine): { label: string; value: string } {
  const label = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  const shown = cents === 0 ? keptCents : cents;
  const sum = shown === undefined ? undefined : formatCents(shown);
  return { label, value: [sum, why].filter(Boolean).join(', ') };
}

/**
 * What she loses if she undoes her cancellation and cancels again later; undefined if nothing.
 * @param cents the refund for the present cancellation
 */
export function describeCancellingAgain(
  cents: number,
  undoUntil: Date,
  edition: Edition,
): string | undefined {
  const refundsEndAt = new Date(edition.facts.balance.refundsEndAt);
  if (cents === 0 || undoUntil <= refundsEndAt) return undefined;
  const day = formatMonthAndDay(lastRefundDay(edition));
  return `If you take it back, and cancel again after ${day}, nothing comes back.`;
}

/** The state of the balance after a cancellation was undone. */
export const balanceStands = {
  paid: () => 'Everything is paid, and nothing is left to pay.',
  'by-check': ({ beforeFeeCents }: Sums) =>
    `The balance of ${formatCents(beforeFeeCents)} is to come by check, as arranged.`,
  owed: ({ cents }: Sums) =>
    `The balance of ${formatCents(cents)} is left to pay. Nothing is charged to your card before a letter has told you when and how much.`,
} as const;

/** To the registrant who has cancelled. */
export const cancelReceivedMail = {
  subject: ({ title }: Facts) => `We have your cancellation: ${title}`,
  preheader: (sum: string | undefined) =>
    sum ? `${sum} comes back to you, and nothing more is charged.` : refundMail.nothingCharged,
  title: 'We have your cancellation',
  /** @param when `Saturday, December 20, 2025, at 9:15 am Pacific Time` */
  onPage: (when: string, { title }: Facts) =>
    `You cancelled your place in ${title} on your own page, on ${when}. That counts as in writing, and the retreat office gets it too. ${refundMail.nothingCharged}`,
  /** @param date an ISO date */
  byOffice: (date: string, { title }: Facts) =>
    `The retreat office has your cancellation of your place in ${title}, which you wrote on ${formatDate(date)}. ${refundMail.nothingCharged}`,
  sorry: 'We are sorry not to meet you this time.',
  when: {
    card: (day: string) => `We give it back from ${day} on`,
    check: (day: string) => `The retreat office sends it from ${day} on`,
    onceFinal: ', once your cancellation can no longer be taken back.',
    soon: 'It is sent to you shortly.',
    disputed:
      'You have disputed a charge with your bank. While that is open, nothing is given back automatically; the retreat office will write to you.',
  },
  undoTitle: 'If you change your mind',
  undo: (until: string, { phone }: MailOffice) =>
    `You can take it back until ${until}: on your own page, or through the retreat office, if you reply to this e-mail or call ${phone}. Then your place is yours again, as it was.`,
} as const;

/** To a registrant whose cancellation was undone, by herself or by the office. */
export const cancelUndoneMail = {
  subject: ({ title }: Facts) => `Your place is kept: ${title}`,
  preheader: 'Your cancellation no longer holds.',
  title: 'Your place is kept',
  intro: ({ title }: Facts) =>
    `Your cancellation was taken back, and your place in ${title} is yours again, as it was. We are glad that you are coming.`,
  notYou: ({ email, phone }: MailOffice) =>
    `If that was not you, or if anything is unclear, reply to this e-mail, write to ${email} or call ${phone}.`,
} as const;

/** To the registrant, once her cancellation is processed. */
export const cancelledMail = {
  subject: ({ title }: Facts) => `Your cancellation is complete: ${title}`,
  preheader: {
    card: (sum: string) => `${sum} is on its way to you.`,
    check: (sum: string) => `${sum} comes to you by check.`,
    nothing: refundMail.nothingCharged,
  },
  title: 'Your cancellation is complete',
  /** @param date an ISO date; undefined if it is not recorded */
  intro: (date: string | undefined, { title }: Facts) =>
    `Your place in ${title} has ended, as you asked${date ? ` on ${formatDate(date)}` : ''}. ${refundMail.nothingCharged}`,
  given: (sum: string, card: string | undefined) =>
    `We have given ${sum} back to your card${card ? `, ${card}` : ''}. ${refundMail.banks}`,
  check: (sum: string) => `The retreat office sends you a check of ${sum} by post.`,
  again: 'We would be glad to welcome you another time.',
} as const;

/** To a registrant whose bank rejected the refund. */
export const refundFailedMail = {
  subject: ({ title }: Facts) => `Your refund for ${title}: we will send it by check`,
  preheader: (sum: string) => `${sum} is yours. Please tell us where the check is to go.`,
  title: 'Your bank did not take the refund',
  intro: (sum: string, card: string | undefined) =>
    `We gave ${sum} back to your card${card ? `, ${card}` : ''}, and the bank returned it to us. That happens when a card was closed or replaced. The sum is yours all the same.`,
  ask: 'We will send you a check instead. Please reply to this e-mail with the postal address that it is to go to.',
} as const;

/** To a registrant to whom the office made a refund at its own discretion. */
export const refundMadeMail = {
  subject: ({ title }: Facts) => `${title}: the retreat office has sent you a refund`,
  preheader: (sum: string) => `${sum} is on its way to you.`,
  title: (sum: string) => `${sum} is on its way to you`,
  intro: {
    card: (sum: string, { title }: Facts) =>
      `The retreat office has given ${sum} of what you paid for ${title} back to your card. ${refundMail.banks}`,
    check: (sum: string, { title }: Facts) =>
      `The retreat office has sent you a check of ${sum}, from what you paid for ${title}.`,
  },
  amount: balanceMail.amount,
  madeOn: { card: 'Given back on', check: 'Sent on' },
} as const;

/** To a registrant who has paid for her place a second time, such as on another device; in place of the welcome. */
export const secondPaymentMail = {
  subject: ({ title }: Facts) => `We received two payments of yours: ${title}`,
  preheader: (sum: string) => `The second one, ${sum}, comes back to you whole.`,
  title: 'We received two payments of yours',
  intro: (sum: string, day: string, { title }: Facts) =>
    `On ${day} we received ${sum} for a place in ${title}. You had already paid for your place before, and that place is yours: nothing changes about it, and the letters about it keep coming.`,
  back: (sum: string) =>
    `So this second payment is not needed. Nothing more will be charged for it, and the retreat office gives all of it back, ${sum}, to the card that paid it. You do not need to do anything, and a letter tells you when it is done.`,
  amount: balanceMail.amount,
  paidOn: 'Paid on',
  reference: 'Reference',
  somebodyElse: ({ email, phone }: MailOffice) =>
    `Is the second place for somebody else? Then please tell us soon: reply to this e-mail, write to ${email} or call ${phone}. We will keep it for that person.`,
} as const;

/** To a new address that was entered on a registrant's page. */
export const confirmAddressMail = {
  subject: ({ title }: Facts) => `Is this your new e-mail address? ${title}`,
  preheader: 'One press confirms it.',
  title: 'Please confirm your new address',
  intro: ({ title }: Facts) =>
    `Somebody asked, on the page of a registration for ${title}, that our letters go to this address from now on. If that was you, please confirm it. The link opens a page with one button.`,
  confirm: 'Confirm this address',
  until: (moment: string) =>
    `The link can be used until ${moment}. Our letters go to the address that we have until you confirm this one.`,
  notYou: 'If that was not you, there is nothing to do: without that press nothing changes.',
  reason: (pageUrl: string) =>
    `You received this e-mail because your address was entered on the page of a registration at ${pageUrl}.`,
} as const;

/** To a registrant’s previous e-mail address. */
export const addressChangedMail = {
  subject: ({ title }: Facts) => `Your letters go to another address now: ${title}`,
  preheader: 'If that was not you, please tell the office.',
  title: 'Your letters go to another address now',
  intro: ({ title }: Facts) =>
    `The e-mail address of a registration for ${title} was changed. This is the last letter to the previous address.`,
  name: 'Name',
  reference: 'Reference',
  to: 'New address',
  when: 'Changed',
  by: 'How',
  who: { herself: 'On your own page', 'the office': 'By the retreat office' },
  notYou: ({ phone, email }: MailOffice) =>
    `If that was not you, please call the office at ${phone}, or write to ${email}, and we will put it right. The links to your page in earlier letters no longer work.`,
  reason: (pageUrl: string) =>
    `You received this e-mail because the letters about a registration at ${pageUrl} went to this address.`,
} as const;

/** To the office, when somebody has cancelled on her page: this e-mail makes it a cancellation in writing. */
export const officeCancelMail = {
  subject: (name: string) => `Cancelled: ${name}`,
  preheader: 'In writing, on the page of the registration. Nothing more is charged.',
  title: 'Cancelled in writing',
  intro: (name: string, { title }: Facts) =>
    `${name} has cancelled the place in ${title} on the page of the registration. This e-mail is the cancellation in writing. Nothing more is charged, and what goes back to a card is given back automatically.`,
  written: 'Written',
  back: 'Comes back',
  undo: 'Undo until',
  by: { card: (sum: string) => `${sum} to the card`, check: (sum: string) => `${sum} by check, from you` },
  disputed: 'A charge is disputed: nothing is given back automatically.',
} as const;

/** To the office, when a registrant has undone her cancellation herself. */
export const officeCancelUndoneMail = {
  subject: (name: string) => `Not cancelled after all: ${name}`,
  preheader: 'The place is kept.',
  title: 'A cancellation was taken back',
  intro: (name: string, { title }: Facts) =>
    `${name} has taken back the cancellation for ${title} on the page of the registration. The place is kept.`,
  undone: 'Taken back',
  balance: 'Balance',
  stands: {
    paid: () => 'Paid',
    'by-check': ({ beforeFeeCents }: Sums) => `${formatCents(beforeFeeCents)}, to come by check`,
    owed: ({ cents }: Sums) => `${formatCents(cents)}, not yet paid`,
  },
} as const;
