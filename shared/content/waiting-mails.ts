import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { Facts } from './edition.ts';
import type { MailOffice } from './mails.ts';

/** Texts shared by the letters to people on the waiting list. */
export const waitingMail = {
  leave: 'Take me off the list',
  leaveHow:
    'If you do not want to wait any longer, one press takes you off the list, and your details are deleted.',
  questions: ({ email, phone }: MailOffice) =>
    `If you have a question, reply to this e-mail, write to ${email} or call ${phone}.`,
  reason: (pageUrl: string) =>
    `You received this e-mail because your address was put on the waiting list at ${pageUrl}. If that was not you, take it off with the link above, and we do not write to it again.`,
} as const;

/** To a person who has joined the waiting list, at once: she confirms that it was she. */
export const waitingReceivedMail = {
  subject: ({ title }: Facts) => `Please confirm: the waiting list for ${title}`,
  preheader: 'One press, and you are on the list. There is nothing to pay.',
  title: 'One press, and you are on the waiting list',
  intro: (facts: Facts) =>
    `Thank you for wanting to be there. All places for ${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}, are taken at the moment.`,
  /** @param until `Saturday, December 20, 2025, at 9:15 am Pacific Time` */
  how: (until: string) =>
    `Please confirm with this button that you would like to wait. It works until ${until}.`,
  confirm: 'Put me on the waiting list',
  paragraphs: [
    'If a place becomes free, the retreat office then writes to this address, as a rule in the order in which people joined. The letter has a link under which the place is kept for you for 48 hours. Nothing is charged until you confirm a payment yourself.',
    'We cannot promise that a place becomes free. Please do not book anything that you could not cancel.',
  ],
  /** For an address with a paid place. */
  addressHasPlace:
    'There is already a paid place under this e-mail address. If the place is yours, you need not wait for one: take yourself off the list with the link below, or simply leave it as it is. If you are not sure, ask us.',
} as const;

/** To the office, when somebody has joined. */
export const officeWaitingMail = {
  subject: (name: string) => `On the waiting list: ${name}`,
  preheader: 'Nothing to do unless a place is free.',
  title: 'Somebody has joined the waiting list',
  intro: (name: string, { title }: Facts) =>
    `${name} has joined the waiting list for ${title}. Once a place is free, you can offer it: the page of the waiting list shows who waits, in the order of joining.`,
  joined: 'Joined',
  open: 'Open the waiting list',
  command: 'Command',
} as const;

/** To a person on the list, when the office offers her a place. */
export const placeOfferedMail = {
  subject: ({ title }: Facts) => `A place is free for you: ${title}`,
  /** @param until `Saturday, December 20, 2025, at 9:15 am Pacific Time` */
  preheader: (until: string) => `It is kept for you until ${until}.`,
  title: 'A place is free for you',
  intro: (facts: Facts) =>
    `A place in ${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}, has become free, and you are the next on the waiting list whom we ask. We would be glad to have you with us.`,
  /** @param until `Saturday, December 20, 2025, at 9:15 am Pacific Time` */
  until: (until: string) =>
    `The place is kept for you until ${until}. After that, somebody else on the list is asked.`,
  how: ({ prices }: Facts) =>
    `To take it, open the link and register: you choose the package, look over your details, and pay the deposit of ${formatCents(prices.depositCents)}. Nothing is charged until you confirm the payment yourself. The link is for one place, so please keep it to yourself.`,
  take: 'Take the place',
  notNow:
    'If you cannot take it, you need not do anything. If you do not want to be asked again, take yourself off the list:',
} as const;
