import { formatDate } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import type { Facts } from './edition.ts';
import { handOverWords } from './own-page-form-words.ts';
import type { OwnPageLetter, OwnPageView } from './own-page-view.ts';
import { REDUCTIONS, type Reduction } from './tuition.ts';

export const ownPageWords = {
  title: 'Your place',
  heading: (firstName: string) => `Your place, ${firstName}`,
  headingOver: (firstName: string) => `You were with us, ${firstName}`,
  headingCancelled: (firstName: string) => `Your registration, ${firstName}`,
  reserved: (name: string, dates: string) =>
    `There is a place at the table for ${name}, live online, ${dates}.`,
  wasReserved: (name: string, dates: string) => `The place of ${name} in the retreat of ${dates}.`,
  held: (name: string, dates: string) => `The registration of ${name} for ${dates}.`,
  cancelled: (name: string, dates: string) => `The registration of ${name} for ${dates} is cancelled.`,
  actsElsewhere:
    'In this browser you can only read this page. Open the link in your welcome e-mail to pay, to change the card or your details, to cancel, or to have a message sent again.',
  withoutMail:
    'If no welcome e-mail comes, for example because the address is wrong, our office corrects it:',
  lookAgain: 'Look again',
  back: 'Back to your page',
  /** Put before a page's title for screen readers. */
  errorTitle: 'Please check: ',
  errors: 'Nothing was done yet. Please look at this once more:',
  card: {
    onFile: 'Card on file',
    expiry: (month: string) => `, expires ${month}`,
    expiresBeforeDue: (what: string) =>
      `It expires before ${what} is charged. Please store another card, or pay now with any.`,
    hasExpired: 'It has expired.',
    storeAnother: 'Please store another card, or pay now with one.',
  },
  payments: {
    title: 'What you paid',
    what: { deposit: 'Deposit', balance: 'Balance' },
    by: { card: 'by card', check: 'by check', transfer: 'by bank transfer' },
    fee: (cents: number) => `including a card fee of ${formatCents(cents)}`,
    earlier: 'paid by who had the place before you',
    repaid: { done: 'Given back to you', pending: 'On its way back to you' },
    repaidBy: { card: 'to your card', check: 'by check' },
    open: 'Balance, open',
    due: (date: string) => `due ${date}`,
    openByCard: ({ prices }: Facts) => `by card${onWays(prices, `, its fee of ${prices.cardFee} included`)}`,
    openByCheck: ({ prices }: Facts) => `by check${onWays(prices, ', no card fee')}`,
    receipts: 'Receipts, to print or keep',
  },
  schedule: {
    title: 'The days',
    past: 'See how the days went, hour by hour',
    calendar: 'Add the sessions to your calendar',
    roomTitle: 'The way into the room',
    roomOpen: 'Enter the video room',
    roomOpenForTest: 'Enter the room of the test session',
    roomAfterTest: {
      settled: 'For the retreat itself it opens from this page again.',
      owing: 'For the retreat itself it opens from this page again, once nothing is left to pay.',
      paying:
        'For the retreat itself it opens from this page again, as long as you have agreed to your payment plan and no part of it is overdue.',
    },
    roomNotYet:
      'It opens from this page, and its address is not here yet. Please look again shortly before the session; if it is still missing then, ask the office.',
    roomLater: 'It opens from this page too, when the days have come.',
    roomWhilePaying:
      'It opens from this page too, when the days have come, as long as you have agreed to your payment plan and no part of it is overdue.',
    roomOncePaid: 'It opens from this page too, once nothing is left to pay and the days have come.',
    roomAsk: 'It does not open from this page now. Please ask the office.',
    roomOpenNote: 'Your link is sent to you again each morning, too.',
  },
  now: {
    onNow: (session: string) => `On now: ${session}`,
    until: (hour: string) => `Until about ${hour}.`,
    isNext: (session: string) => `Next: ${session}`,
    /** @param session absent where the heading names it */
    thenNext: (session: string | undefined, when: string) => `${session ? `Next: ${session}, ` : ''}${when}.`,
    help: 'If you can’t get in, or something doesn’t work, we are a call away.',
    call: (phone: string) => `Call ${phone}`,
    text: 'Text us',
  },
  recordings: {
    title: 'The recordings',
    toCome: (day: string) => `They come on ${day}. We e-mail you then, and they open from this page.`,
    late: 'They are being made ready. We e-mail you as soon as they open from this page.',
    onceAllPaid: 'Before that, nothing may be left to pay.',
    open: 'Open the recordings',
    oncePaid: 'The recordings are ready. They open from this page, once nothing is left to pay.',
    list: 'What was recorded',
    discretion:
      'Others who came may be seen and heard in them: please keep them to yourself, as you would want it for yourself.',
  },
  letters: {
    title: 'What we have sent you',
    to: (email: string) =>
      `We write to ${email}. If that is not right, change it under “Your details”; if nothing comes, ask the office.`,
    sentOn: (day: string) => `Sent on ${day}`,
    kept: 'These are the words that we sent you. The links of the letter are left out: this page has them.',
    states: {
      sent: 'Sent',
      waiting: 'On its way',
      failed: 'Did not get through',
    } satisfies Record<OwnPageLetter['state'], string>,
  },
  office: {
    title: 'If something is different',
    plan: 'Ask for a plan, or pay by check',
    planNote: ({ prices }: Facts) =>
      `If the balance is too much at once, tell us. There are payment plans${onWays(prices, ', and by check there is no card fee')}.`,
    changePlan: 'Ask for another plan, or pay by check',
    changePlanNote: ({ prices }: Facts) =>
      `If a date or a sum does not fit any more, please tell us before that date.${onWays(prices, ' By check there is no card fee.')}`,
    cancel: 'Cancel your place',
    cancelHere: 'You see first what comes back to you, and have 24 hours to undo it.',
    cancelElsewhere: 'Open the link in your welcome e-mail and do it there, or write to the office.',
    cancelHeld:
      'If you do not come, simply do not pay: then nothing is charged. Tell the office, so that somebody else can have the place.',
    handOver: 'Hand your place over to somebody else',
    handOverNote: (until: string) =>
      `You name who gets it, by the end of ${until}. It stays yours until it is accepted there.`,
    cancelDisputed: 'While a payment is disputed, the office does that for you. Please write to it.',
    question: 'Ask anything else',
    reach: 'Or write or call:',
    policies: 'The policies you agreed to',
    subjects: {
      plan: 'A payment plan, or paying by check',
      cancel: 'Cancelling my place',
      question: 'A question about my place',
    },
  },
  close: 'Close my page everywhere',
  closeSure: 'Yes, close it in every browser',
  closeNote:
    'If somebody else may have a link to this page, close it everywhere. The links in earlier messages then stop working, and we send a new one to the address that we write to.',
  leave: 'Leave this page',
  leaveNote: 'This browser then forgets it. The link in our messages opens it again.',
} as const;

export const actWords = {
  proof: {
    'postal-code': 'Postal code of the card that paid your deposit',
    phone: 'Last four digits of your phone number',
  } satisfies Record<OwnPageView['secondFactor'], string>,
  notProven: {
    'postal-code': 'This does not match the postal code of the card that paid your deposit. Please check it',
    phone: 'This does not match the last four digits of your phone number. Please check them',
  } satisfies Record<OwnPageView['secondFactor'], string>,
  proofMissing: 'Please fill this in, so that we know it is you',
  proofsSpent:
    'That was tried too often today, so nothing was done. Please try again tomorrow, or ask the office.',
} as const;

export const linkWords = {
  title: 'The way to your page',
  text: {
    none: 'Your page opens with the link in our messages, starting with the welcome. Open it there, or have a new link sent to you.',
    'no-cookie':
      'Your page opens with a cookie, which your browser did not keep. Please allow cookies for this site, then open the link in our message once more.',
    invalid:
      'This link no longer opens a page. Links change from time to time, and some mail programs cut them short. A new one is quickly made.',
    unconfirmed:
      'This link was used already, or a newer message has taken its place: then use the link in that one. If you have just confirmed your address, all is done: have a link to your page sent to it here.',
    asked:
      'Thank you. If there is a place under that address, an e-mail with a new link is on its way to it. It can take a few minutes; look in your spam folder too.',
    'asked-too-often':
      'A link has already been asked for several times. Please wait ten minutes, or ask the office.',
    'not-recorded':
      'Something went wrong on our side, and your cancellation may not be recorded. Please look on your page, and cancel there once more if it is not. Or write to the office now: what counts is when you write.',
    another:
      'The page of somebody else was opened in this browser after yours, so nothing was done. To go on with yours, open the link in our last message again, or have a new one sent to you.',
    closed:
      'Your page is closed in every browser, and the links in earlier messages no longer open it. An e-mail with a new link is on its way to you. If none comes, have one sent to you here.',
    returned:
      'You come back from our payment provider or your bank in a browser that does not have your page open. What you did there is not lost: open the link in our last message to see it.',
    'too-many': 'This page was opened very often. Please wait ten minutes, or ask the office.',
    'handed-over': handOverWords,
    'hand-over-gone':
      'This place is not being handed over to you any more: it was taken back, or the last day for it is past. Nothing was done and nothing was charged. If you do not know why, please ask who wanted you to have it.',
    'hand-over-done':
      'This place has been accepted with this link. If it was you, your own page opens with the link in the e-mail “The place is yours”; you can have a new one sent to you here.',
  },
  email: 'Your e-mail address',
  emailNote: 'The one that we write to.',
  submit: 'Send me a new link',
  anotherAddress: 'Ask with another address',
  help: 'If that does not help, the office does:',
} as const;
export type LinkReason = keyof typeof linkWords.text;

export const receiptWords = {
  title: 'Receipts',
  back: 'Back to your page',
  howToPrint: 'Print this page, or keep it as a PDF, with your browser’s own command.',
  receipt: { deposit: 'Receipt for the deposit', balance: 'Receipt for the balance' },
  for: 'For',
  name: 'Name',
  paidOn: 'Paid on',
  by: 'Paid',
  tuition: { deposit: 'Deposit on the tuition', balance: 'Balance of the tuition' },
  ofPart: (part: string) => `Receipt for ${part} of the balance`,
  tuitionOfPart: (part: string) => `Balance of the tuition, ${part}`,
  fee: (cardFee: string) => `Card fee (${cardFee})`,
  total: 'Paid in all',
  inDollars: (cents: number) => `${formatCents(cents)} (US dollars)`,
  reference: 'Reference',
  reduced: ({ cents, as }: Reduction) => `${REDUCTIONS[as]}: ${formatCents(cents)}.`,
  repaid: (cents: number, how: string, date: string) =>
    `${formatCents(cents)} was given back ${how} on ${date}.`,
  repaidPending: (cents: number, how: string, date: string) =>
    `${formatCents(cents)} has been on its way back ${how} since ${date}.`,
  none: 'No payment has arrived yet.',
  asOf: (date: string) => `As of ${formatDate(date)}.`,
} as const;
