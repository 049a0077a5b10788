import { formatCents } from '#shared/money.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { declineWords } from './card-words.ts';

export const detailsWords = {
  title: 'Your details',
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  correct: 'Correct your name or phone',
  changeAddress: 'Change your e-mail address',
  asked: (address: string) =>
    `Waiting for you to confirm ${address}: open the link in the e-mail that we sent there. Until then we write to the address above.`,
  askAgain: 'Ask with another address, or again',
  drop: 'Keep the address as it is',
} as const;

/** Why she cannot give both another name and another address than those that paid. */
export const handOverWords =
  'Both the name and the e-mail address would then differ from those with which the place was paid for. A place cannot be handed over to somebody else on this page: please write to the retreat office, which asks both of you.';

export const unreachableWords = {
  title: 'Our e-mail does not reach you',
  text: (email: string) =>
    `A message that we sent to ${email} came back, so we have stopped writing there. Please give us an address that works; we send it a link to confirm it, and then what you have missed.`,
  charge:
    'Until then nothing is charged to your card automatically: we charge nothing that we could not announce to you in time. If you would rather not wait, you can pay on this page.',
  isRight: (email: string) =>
    `Is ${email} right after all? Then please tell the office, and we will try it again.`,
} as const;

export const correctWords = {
  title: 'Correct your details',
  lede: 'Your name as it appears on your page and your receipts, and the number at which we can reach you.',
  phoneKept: (masked: string) => `Leave it empty to keep ${masked}.`,
  proofNote: 'So that nobody but you changes them.',
  submit: 'Save',
} as const;

export const dataWords = {
  title: 'What we keep about you',
  link: 'Download what we keep about you',
  lede: 'All that our database holds about you, also the notes of our office, as a file (JSON).',
  fileName: 'what-we-keep-about-you',
  proofNote: 'So that nobody but you reads it.',
  submit: 'Download',
} as const;

export const addressWords = {
  /** With a word joiner, so that no line breaks after the hyphen. */
  title: 'Change your e-\u2060mail address',
  lede: (email: string) =>
    `We write to ${email}. We send an e-mail to the new address; once you open its link and press the button there, we write to that one.`,
  email: 'New e-mail address',
  same: 'This is the address that we write to already',
  proofNote: 'So that nobody but you can redirect your mail.',
  afterwards:
    'The links in earlier messages then no longer work, and one last message goes to the old address.',
  submit: 'Send the link',
} as const;

export const dropPageWords = {
  title: 'Keep the address as it is',
  lede: 'The link that we sent to the new address then confirms nothing, and we go on writing to the one that we have.',
  proofNote: 'So that nobody but you stops the change.',
  submit: 'Keep the address',
} as const;

export const confirmWords = {
  title: 'Is this your address?',
  text: (siteName: string) =>
    `Somebody who has a place with ${siteName} asked us to write to this address from now on. If that was you, please press the button. If it was not, close this page: nothing changes.`,
  submit: 'Yes, write to me here',
  doneTitle: 'Thank you',
  done: 'From now on we write to this address. The links in earlier messages no longer open your page: have a new one sent here.',
  newLink: 'Send me the new link',
  help: 'If something is unclear, the office helps:',
} as const;

export const handOverNotes = {
  asked: (name: string) =>
    `You are asked whether you hand your place over to ${name}. Nothing happens unless you agree.`,
  agreed: (name: string, until: string) =>
    `You hand your place over to ${name}. It is yours until it is accepted there, at the latest on ${until}.`,
  open: 'See what it means, and agree',
  openAgreed: 'See how it stands, or change your mind',
} as const;

export const handOverPageWords = {
  title: 'Hand your place over',
  lede: (name: string, email: string) =>
    `You want ${name} to have your place. If you agree, we send a link to ${email}.`,
  agreedLede: (name: string, email: string) =>
    `You have agreed that ${name} gets your place. An e-mail with a link is on its way to ${email}.`,
  means: 'What it means',
  points: (name: string, until: string) => [
    `${name} reads the terms and accepts the place, by the end of ${until}. Until that moment it is yours.`,
    'From then on your page is closed, the links in our messages stop working, and your card is not charged any more.',
    'What you have paid stays paid for the place. What you give each other for it is between the two of you.',
    'What comes back when the place is cancelled later goes to the card that paid it.',
  ],
  act: 'Do you agree?',
  proofNote: 'So that nobody but you gives your place away.',
  submit: 'Yes, hand my place over',
  spent: 'The retreat office helps you:',
  keepTitle: 'Or keep it',
  keepNote: 'Then the place stays yours, and the link that we sent stops working.',
  keep: 'No, I keep my place',
} as const;

export const nameHolderWords = {
  title: 'Hand your place over',
  lede: 'Tell us who is to have your place. We send a link to that person, who reads the terms and accepts it.',
  somebody: 'The other person',
  who: 'Who gets it?',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  emailNote: 'The link goes there. It has to be another address than yours.',
  phoneNumber: 'Phone',
  phoneNote: 'Its last four digits prove later that it is that person.',
  sameAddress: 'Messages to this address reach you: please give the other person’s own',
  hasPlace: 'This person has a place at this retreat already',
} as const;

export const takeWords = {
  title: 'A place is handed over to you',
  lede: (from: string, title: string, dates: string) =>
    `${from} hands a place in ${title} over to you, live online, ${dates}.`,
  stands: 'The place',
  package: 'The package',
  for: 'For',
  paid: { deposit: 'Deposit, paid', balance: 'Balance, paid' },
  paidPart: (part: string) => `${part}, paid`,
  paidNote: (date: string) => `on ${date}`,
  waived: 'Taken off the tuition',
  left: 'Left to pay',
  nothingLeft: 'Everything is paid',
  charged: (date: string) => `charged to your card on ${date}; we e-mail you at least three days before`,
  asked: (date: string) =>
    `due ${date}: you are asked to pay it on your page, and no card is charged by itself`,
  byPlan: (date: string) =>
    `in parts, as arranged with the retreat office, the next one on ${date}: you see their dates on your page, and nothing is charged before you have agreed to them there`,
  byCheck: (date: string) => `by check, as arranged with the retreat office; due ${date}`,
  ownMoney:
    'What was paid stays paid. What you give each other for the place is between the two of you. If you cancel later, what comes back goes to the card that paid it.',
  policies: 'What you agree to',
  policiesNote: 'The deposit that these policies speak of is paid already: nothing is charged to you for it.',
  accept: 'Accept the place',
  yourCard: 'Your card',
  giveCard: 'Enter the card at Stripe',
  cardNote:
    'You enter it at Stripe, our payment provider, and come back here: then you accept the place by one press.',
  cardGiven: 'Your card',
  otherCard: 'Enter another card',
  until: (date: string) => `You can accept it until the end of ${date}. Until you do, nothing changes.`,
  agree: 'I have read the policies above and agree to them.',
  agreeFirst: 'Please read the policies, and agree to them.',
  card: (cents: number) =>
    `Nothing is charged now. The balance of ${formatCents(cents)} is charged to this card when it is due.`,
  cardByPlan: (cents: number) =>
    `Nothing is charged now. The balance of ${formatCents(cents)} is charged to this card in parts, once you have agreed to their dates on your page.`,
  phone: (masked: string) =>
    `We have noted your phone number as ${masked}. Its last four digits prove later that it is you; if they are wrong, please tell the office before you accept.`,
  submit: 'Accept the place',
  help: 'If something is unclear, or your name is not right, the office helps:',
} as const;

export const offerWords = {
  title: 'A place is free for you',
  lede: (title: string, dates: string) => `A place in ${title}, live online, ${dates}, is kept for you.`,
  until: (moment: string) =>
    `You can take it until ${moment}. If you can’t, you don’t need to do anything: after that, we ask the next person on the list.`,
  deposit: 'Deposit, by card',
  depositNote: 'on your own page, which opens next: nothing is charged before you press its button there',
  balance: 'Balance, by card',
  balanceNote: 'later: your page shows the date, and we e-mail you at least three days before',
  policiesNote: 'Please read these policies: the deposit is not refunded.',
  accept: 'Take the place',
  submit: 'Take the place',
} as const;

export const partPaidNews = (part: string): string => `Thank you. ${part} of your payment plan has arrived.`;

const declinedNews = (reason: DeclineReason): string =>
  reason === 'authentication'
    ? 'Your bank did not get your confirmation, so nothing was charged. Please try again, or pay with another card.'
    : `Your card was declined, and nothing was charged. ${declineWords[reason].why} ${declineWords[reason].advice}`;

export const newsWords = {
  paid: 'Thank you. Your payment has arrived.',
  'pay-unknown':
    'There was no answer from our payment provider, so it is not certain yet whether your payment has gone through. Please look here again in a few minutes. If you press once more, you are not charged twice.',
  'bank-waits':
    'Your bank still waits for your confirmation, and nothing was charged so far. Press the button again, and you come back to your bank.',
  'card-changed': 'Your new card is stored. Nothing was charged by that.',
  cancelled: 'You have cancelled.',
  kept: 'Your place is yours again. Below you see how it stands.',
  'details-corrected': 'Thank you. Your details are saved.',
  'address-asked':
    'An e-mail is on its way to the new address. Open its link and press the button there, and we write to it from then on.',
  'address-dropped': 'The address stays as it was.',
  'zone-chosen': 'From now on we show all times in the zone that you chose.',
  'answers-saved': 'Thank you. Your answers are saved.',
  'hand-over-agreed':
    'Thank you. An e-mail with the link to your place is on its way to the person who is to get it.',
  'hand-over-ended': 'You keep your place: it is not handed over.',
  'plan-agreed':
    'Thank you. You have agreed to your payment plan, and we e-mail you before each part is charged.',
  'place-taken':
    'Welcome. The place is yours, and an e-mail with the link to this page is on its way to you.',
  changed:
    'Something had changed since you opened this page, so nothing was done. Please look at how it stands now, and press again if it is right.',
  'too-many': 'That was asked too often, so nothing was done. Please wait a while, or ask the office.',
} as const;
export type OwnPageNews = keyof typeof newsWords | `declined-${DeclineReason}`;

const DECLINED = 'declined-';
const declineIn = (news: string): DeclineReason | undefined =>
  declineReasons.find((reason) => news === `${DECLINED}${reason}`);
const isListed = (news: string): news is keyof typeof newsWords => Object.hasOwn(newsWords, news);

export const isNews = (text: string): text is OwnPageNews => isListed(text) || declineIn(text) !== undefined;

export function wordsOfNews(news: OwnPageNews): string {
  return isListed(news) ? newsWords[news] : declinedNews(declineIn(news) ?? 'declined');
}

const FAILED: readonly OwnPageNews[] = ['changed', 'too-many', 'pay-unknown', 'bank-waits'];

export const isFailed = (news: OwnPageNews): boolean => FAILED.includes(news) || !isListed(news);

const JUST_NOW_MS = 30 * 60 * 1000;

export const isJustNow = (at: Date, now: Date): boolean => now.getTime() - at.getTime() < JUST_NOW_MS;
