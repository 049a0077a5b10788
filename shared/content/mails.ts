import { countInWords, formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { Edition, Facts } from './edition.ts';

const daysOf = ({ startDate, endDate }: Facts): string => formatDateRange(startDate, endDate);

/** How to reach the office, formatted for people. */
export interface MailOffice {
  email: string;
  phone: string;
  legalName?: string | undefined;
  postalAddress?: string | undefined;
}

/** Texts shared by all mails (R5.3). */
export const mailFrame = {
  /** `firstName` is empty if the one that was entered looks like a link. */
  greeting: (firstName: string) => (firstName ? `Dear ${firstName},` : 'Hello,'),
  officeName: ({ siteName }: Facts) => `${siteName} office`,
  reach: ({ legalName, postalAddress, email, phone }: MailOffice) =>
    [legalName, postalAddress, email, phone].filter(Boolean).join('\n'),
} as const;

/** To the registrant, as soon as her details have arrived. */
export const registrationReceivedMail = (facts: Facts) => {
  const deposit = formatCents(facts.prices.depositCents);
  const retreatDays = daysOf(facts);
  return {
    subject: `We have your details for ${facts.title}`,
    /** For an address without a paid place. */
    firstPlace: {
      preheader: `One step is left: with the deposit of ${deposit}, the place is yours.`,
      title: 'One step from your place',
      paragraphs: [
        `Thank you for taking this step toward ${facts.title}. Your details have arrived safely, and we are glad that you are thinking of spending ${retreatDays} with us.`,
        `The place is yours as soon as the deposit of ${deposit} is paid. If you have just paid it, there is nothing left to do: your receipt and the schedule come in a second e-mail.`,
        'If something came between you and the payment, the way back is short. For two days after your last change, the link below leads back to where you were, in the browser where you began. Nothing is charged until you confirm the payment yourself.',
        'In another browser, or later, the form is empty. Enter the same name and e-mail address there: if the deposit has been paid, the page tells you before it asks for a card.',
      ],
      resume: 'Finish your registration',
      questions: ({ email, phone }: MailOffice) =>
        `Is something unclear, or would you rather pay by check or with a payment plan? Reply to this e-mail, write to ${email} or call ${phone}.`,
      reason: (pageUrl: string) =>
        `You received this e-mail because your address was entered at ${pageUrl}. If that was not you, tell us and we will delete it.`,
    },
    /** For an address with a paid place. It names nobody, since several people may use the address. */
    anotherPlace: {
      preheader: 'Unless it is for somebody else, there is nothing to do and nothing to pay.',
      title: 'This address already has a place',
      paragraphs: [
        `Thank you for taking this step toward ${facts.title}. Somebody has just begun a registration with your e-mail address.`,
        `There is already a paid place for ${retreatDays} under this address. Unless the new registration is for another person, there is nothing to do and nothing to pay: simply leave it as it is, and nothing is charged. If you are not sure, ask us. We will gladly look it up for you.`,
        `If it is for somebody else, we look forward to one more person at the table. That place is reserved once its own deposit of ${deposit} is paid, and nothing is charged until you confirm the payment yourself. If you have just paid it, the receipt and the schedule come in a second e-mail.`,
        'For two days after the last change, the link below leads back to the new registration, in the browser where it was started. In another browser, or later, the form is empty.',
      ],
      resume: 'Finish it for somebody else',
      questions: ({ email, phone }: MailOffice) =>
        `To ask us, reply to this e-mail, write to ${email} or call ${phone}.`,
      reason: (pageUrl: string) =>
        `You received this e-mail because your address was entered at ${pageUrl}. If that was not you, tell us and we will delete what was entered.`,
    },
    closing: 'Warmly,',
  } as const;
};

/** To the registrant, once her deposit is paid. */
export const welcomeMail = ({ facts, timetable }: Edition) => {
  const { cardFee, balanceBeforeFeeCents, balanceCents } = facts.prices;
  const retreatDays = daysOf(facts);
  const balance = `${formatCents(balanceBeforeFeeCents)} plus the ${cardFee} card fee, ${formatCents(balanceCents)} in all`;
  return {
    subject: `Welcome to ${facts.title}: your receipt and the schedule`,
    preheader: `Your place is reserved, ${retreatDays}. The calendar file is attached.`,
    title: 'Welcome. Your place is reserved.',
    arrived: `Your deposit has arrived, and there is a place at the table for you. We look forward to meeting you, live online, on ${retreatDays}.`,
    keep: (fileName: string) =>
      `Please keep this e-mail. It contains your receipt, the schedule of the ${countInWords(timetable.days.length)} days and the policies you agreed to. Open the attached file, ${fileName}, to add every session to your calendar.`,
    ownPage:
      'From now on you have a page of your own: your place, the schedule, what is paid and what is due. The link opens it without a password, so please keep it to yourself.',
    receipt: {
      title: 'Your receipt',
      charged: (amount: string) => `Your card was charged ${amount} in US dollars. Thank you.`,
      purpose: 'For',
      name: 'Name',
      deposit: 'Deposit',
      fee: `Card fee (${cardFee})`,
      total: 'Charged to your card',
      totalInDollars: (amount: string) => `${amount} (US dollars)`,
      reference: 'Reference',
    },
    balance: {
      title: 'The balance',
      /** @param dueDate an ISO date */
      charged: (dueDate: string) =>
        `The balance is due on ${formatDate(dueDate)}: ${balance}. You do not need to do anything: it is charged to the same card on that day.`,
      onPage: 'Your own page shows how the balance stands.',
      askedFor: `The balance is ${balance}. The retreat office will ask you for it.`,
    },
    schedule: {
      title: 'The schedule',
      ownZone: (zoneName: string, otherDays: boolean) =>
        `Times are given in ${timetable.timeZone.name} (${timetable.timeZone.label}) and in your own time, ${zoneName}.${otherDays ? ' If the day is different for you, it is shown with the time.' : ''}`,
      session: 'Session',
      ownColumn: (zoneName: string) => `Your time: ${zoneName}`,
    },
    policies: 'What you agreed to',
    cancelOnPage: 'To cancel, you can also use your own page: that counts as in writing.',
    policiesStay: (address: string) => `You will find this text, as you agreed to it, at ${address}`,
    questions: ({ email, phone }: MailOffice) =>
      `If you have a question before then, reply to this e-mail, write to ${email} or call ${phone}.`,
    closing: 'Until we meet,',
    reason: (pageUrl: string) => `You received this e-mail because you registered at ${pageUrl}.`,
  } as const;
};

/** Shown next to the retreat's own time, in plain text. */
export const ownTimeInText = (time: string): string => `for you ${time}`;

/** Texts shared by the notices to the office. */
export const officeMail = {
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  timeZone: 'Time zone',
  deposit: 'Deposit',
  depositUnpaid: (facts: Facts) => `${formatCents(facts.prices.depositCents)}, not yet paid`,
  depositPaid: 'Paid',
  payment: 'Payment',
  open: 'Open the payment at Stripe',
  openHere: 'Open her registration',
  reply: (name: string) => `If you reply to this e-mail, your reply goes to ${name}.`,
  reason: (pageUrl: string) =>
    `${pageUrl} sends you a notice when somebody enters contact details, when they change, when a deposit is paid, when somebody cancels, and when somebody joins the waiting list.`,
  /** The name that a mailbox rule can sort the notices by. */
  listName: 'Registrations',
  notGiven: 'not given',
} as const;

/** To the office, when somebody's details have arrived. */
export const officeNoticeMail = {
  subject: (name: string) => `Details received, not paid: ${name}`,
  preheader: (facts: Facts) => `The deposit of ${formatCents(facts.prices.depositCents)} is not paid yet.`,
  title: 'Details received, not paid',
  intro: (name: string, { title }: Facts) =>
    `${name} has entered contact details for ${title}. The deposit was not paid yet when this notice was written; you get another notice when it is.`,
  package: 'Package',
  packageWithTuition: (title: string, tuition: string) => `${title}, ${tuition}`,
} as const;

/** To the office, when details from an earlier notice have changed. */
export const officeChangeMail = {
  subject: (name: string) => `Changed details: ${name}`,
  preheader: 'The new details replace those in an earlier notice.',
  title: 'Changed details',
  intro: (name: string, { title }: Facts) =>
    `The details of ${name}’s registration for ${title} have changed. They replace those in an earlier notice.`,
  /** The old value of each corrected detail. */
  before: {
    name: 'Earlier name',
    email: 'Earlier e-mail',
    phoneNumber: 'Earlier phone',
    was: (was: string, day: string, by: string) => `${was} (until ${day}, changed by ${by})`,
  },
} as const;

/** To the office, when a deposit is paid. */
export const officePaidMail = {
  subject: (name: string, amount: string) => `Paid: ${name}, ${amount}`,
  preheader: 'The welcome e-mail is sent automatically.',
  title: (amount: string) => `Paid: ${amount}`,
  intro: (name: string, { title }: Facts) =>
    `${name} has paid the deposit for ${title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
  second: {
    preheader: 'Paid a second time: please give it back.',
    intro: (name: string, { title }: Facts) =>
      `${name} has paid the deposit for ${title} a second time. This payment is held: nothing more is charged for it, and instead of the welcome a letter tells her so. Please give it back on the page of the registration, or record there that these are two people.`,
  },
  received: 'Received',
} as const;
