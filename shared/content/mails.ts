import { formatCents, formatDollars } from '#shared/money.ts';
import { BALANCE_BEFORE_FEE, BALANCE_CENTS, DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import { edition, formatDate, formatDateRange } from './edition.ts';
import { cardFeeLabel } from './policies.ts';

const retreatDays = formatDateRange(edition.startDate, edition.endDate);
const deposit = formatCents(DEPOSIT_CENTS);

/** How to reach the office, ready to be read. */
export interface MailOffice {
  email: string;
  phone: string;
}

/** The words that every mail shares (R5.3). */
export const mailFrame = {
  /** Without a name where the one that was typed in would read as a link. */
  greeting: (firstName: string) => (firstName ? `Dear ${firstName},` : 'Hello,'),
  officeName: `${edition.siteName} office`,
  signature: edition.siteName,
  reach: ({ email, phone }: MailOffice) => `${email}\n${phone}`,
} as const;

/** To the registrant, as soon as her details have arrived. */
export const registrationReceivedMail = {
  subject: `We have your details for ${edition.title}`,
  /** What it says to an address without a paid place. */
  firstPlace: {
    preheader: `One step is left: the deposit of ${deposit} makes the place yours.`,
    title: 'One step from your place',
    paragraphs: [
      `Thank you for reaching toward ${edition.title}. Your details have arrived safely, and we are glad that you are thinking of spending ${retreatDays} with us.`,
      `Your place is yours as soon as the deposit of ${deposit} is paid. If you have just paid it, there is nothing left to do: a second letter brings your receipt and the schedule.`,
      'If something came between you and the payment, the way back is short. Nothing is charged until you confirm the payment yourself.',
    ],
    resume: 'Finish your registration',
    questions: ({ email, phone }: MailOffice) =>
      `Is something unclear, or would you rather pay by check or in parts? Answer this letter, write to ${email} or call ${phone}.`,
    reason: (pageUrl: string) =>
      `You receive this letter because your address was entered at ${pageUrl}. If it was not you, tell us, and we will delete it.`,
  },
  /** What it says to an address with one. It names nobody: who else holds the address is not known. */
  anotherPlace: {
    preheader: 'Unless you meant it for somebody else, there is nothing to do and nothing to pay.',
    title: 'Your address has a place already',
    paragraphs: [
      `Thank you for reaching toward ${edition.title}. The details of a new registration have arrived with your e-mail address.`,
      `A paid place for ${retreatDays} stands under this address already. If you did not mean the new registration for somebody else, there is nothing to do and nothing to pay: the new one simply lapses, and the paid place stays as it is. If you are unsure how things stand, ask us. We will gladly look.`,
      `If you did mean it for somebody else, we look forward to one more at the table. That place is kept once its own deposit of ${deposit} has arrived, and nothing is charged until you confirm the payment yourself. If you have just paid it, a second letter brings the receipt and the schedule.`,
    ],
    resume: 'Finish it for somebody else',
    questions: ({ email, phone }: MailOffice) =>
      `To ask us, answer this letter, write to ${email} or call ${phone}.`,
    reason: (pageUrl: string) =>
      `You receive this letter because your address was entered at ${pageUrl}. If it was not you, tell us, and we will delete what was entered.`,
  },
  closing: 'Warmly,',
} as const;

/** To the registrant, once her deposit is paid. */
export const welcomeMail = {
  subject: `Welcome to ${edition.title}: your receipt and the schedule`,
  preheader: `Your place is reserved, ${retreatDays}. The calendar file is attached.`,
  title: 'Welcome. Your place is reserved.',
  arrived: `Your deposit has arrived, and there is a place at the table for you. We look forward to meeting you, live online, on ${retreatDays}.`,
  keep: (fileName: string) =>
    `Please keep this letter. It holds your receipt, the hours of the four days, and the policies you agreed to. The attached file, ${fileName}, puts every session into your calendar.`,
  receipt: {
    title: 'Your receipt',
    charged: (amount: string) => `Your card was charged ${amount} in US dollars. Thank you.`,
    purpose: 'For',
    name: 'Name',
    deposit: 'Deposit',
    fee: `Card fee (${cardFeeLabel})`,
    total: 'Charged to your card',
    totalInDollars: (amount: string) => `${amount} (US dollars)`,
    reference: 'Reference',
  },
  balance: {
    title: 'The balance',
    text: `The balance is due on ${formatDate(edition.balanceDueDate)}: ${formatDollars(BALANCE_BEFORE_FEE)} plus the ${cardFeeLabel} card fee, ${formatCents(BALANCE_CENTS)} in all. You need not do anything for it: it is charged to the same card on that day.`,
  },
  schedule: {
    title: 'The schedule',
    ownZone: (zoneName: string, otherDays: boolean) =>
      `The hours are in ${edition.timeZoneName} (${edition.timeZoneLabel}) and, beside it, on your own clock, ${zoneName}${otherDays ? ', with the day where yours is a different one' : ''}.`,
    session: 'Session',
    ownColumn: (zoneName: string) => `Yours: ${zoneName}`,
    ownTime: (time: string) => `for you ${time}`,
  },
  policies: 'What you agreed to',
  questions: ({ email, phone }: MailOffice) =>
    `Whatever you wonder about until then, answer this letter, write to ${email} or call ${phone}.`,
  closing: 'Until we meet,',
  reason: (pageUrl: string) => `You receive this letter because you registered at ${pageUrl}.`,
} as const;

/** The words that the notices to the office share. */
export const officeMail = {
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  timeZone: 'Time zone',
  deposit: 'Deposit',
  depositUnpaid: `${deposit}, not yet paid`,
  depositPaid: 'Paid',
  payment: 'Payment',
  open: 'Open the payment at Stripe',
  reply: (name: string) => `If you answer this notice, your answer goes to ${name}.`,
  reason: (pageUrl: string) =>
    `${pageUrl} writes to you when somebody registers, when a deposit is paid and when details change.`,
  /** The name that a mailbox rule can sort the notices by. */
  listName: 'Registrations',
  notGiven: 'not given',
} as const;

/** To the office, when somebody's details have arrived. */
export const officeNoticeMail = {
  subject: (name: string) => `New registration: ${name}`,
  preheader: `The deposit of ${deposit} is not paid yet.`,
  title: 'A new registration',
  intro: (name: string) =>
    `${name} has entered contact details for ${edition.title}. The deposit was not yet paid when this notice was written; another notice comes when it is.`,
  package: 'Package',
  packageWithTuition: (title: string, tuition: string) => `${title}, ${tuition}`,
} as const;

/** To the office, when the details that a notice told are others now. */
export const officeChangeMail = {
  subject: (name: string) => `Details changed: ${name}`,
  preheader: 'The new details take the place of those in an earlier notice.',
  title: 'Changed details',
  intro: (name: string) =>
    `The details of ${name}’s registration for ${edition.title} have changed. These take the place of those in an earlier notice.`,
} as const;

/** To the office, when a deposit is paid. */
export const officePaidMail = {
  subject: (name: string) => `Deposit paid: ${name}`,
  preheader: (amount: string) => `${amount} has arrived. The welcome goes out by itself.`,
  title: 'A deposit is paid',
  intro: (name: string) =>
    `${name} has paid the deposit for ${edition.title}. The welcome, with the receipt and the schedule, goes out by itself.`,
  received: 'Received',
} as const;
