import { formatCents } from '#shared/money.ts';

/** On the page of her who has a place that is to be handed over. */
export const handOverNotes = {
  asked: (name: string) =>
    `You are asked whether you hand your place over to ${name}. Nothing happens unless you agree.`,
  agreed: (name: string, until: string) =>
    `You hand your place over to ${name}. It is yours until it is accepted there, at the latest on ${until}.`,
  open: 'See what it means, and agree',
  openAgreed: 'See how it stands, or change your mind',
} as const;

/** The page on which she agrees to hand her place over, or changes her mind. */
export const handOverPageWords = {
  title: 'Hand your place over',
  lede: (name: string, email: string) =>
    `You want ${name} to have your place. If you agree, a letter with a link goes to ${email}.`,
  agreedLede: (name: string, email: string) =>
    `You have agreed that ${name} gets your place. A letter with a link is on its way to ${email}.`,
  means: 'What it means',
  points: (name: string, until: string) => [
    `${name} reads the terms and accepts the place, by the end of ${until}. Until that moment it is yours.`,
    'From then on your page is closed, the links in our letters end, and your card is not charged any more.',
    'What you have paid stays paid for the place. What you give each other for it is between the two of you.',
    'What comes back when the place is cancelled later goes to the card that paid it.',
  ],
  act: 'Do you agree?',
  proofNote: 'So that nobody but you gives your place away.',
  submit: 'Yes, hand my place over',
  spent: 'The retreat office helps you:',
  keepTitle: 'Or keep it',
  keepNote: 'Then the place stays yours, and the link in the letter ends.',
  keep: 'No, I keep my place',
} as const;

/** The page on which somebody accepts a place that is handed over to her. */
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
  charged: (date: string) =>
    `charged to your card on ${date}; a letter tells you so at least three days before`,
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
  withCard: 'Accept it with your card',
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
