import { formatDate } from '#shared/dates.ts';
import type { Facts } from './edition.ts';

/** What the office does about each thing that needs it: a heading, and the way. */
const needs = {
  'action-needed': {
    title: 'Card declined, and not tried again',
    whatToDo:
      'Each of them got a letter with her own page, where she can pay. Write or call her; what she arranges with you is recorded with waive, postpone or pay-by-check.',
    command: (id: string) => `support charge ${id} --by NAME`,
    commandDoes: 'tries the card on file once more',
  },
  'asked-to-pay': {
    title: 'Asked to pay, and not paid yet',
    whatToDo: 'Their cards are not charged by themselves. Each of them got a letter with her own page.',
    command: (id: string) => `support link ${id}`,
    commandDoes: 'makes a link to her page for you to send',
  },
  overdue: {
    title: 'Due, and not paid',
    whatToDo: 'Nothing is charged by itself any more. Please arrange with her how she pays.',
    command: (id: string) => `support show ${id}`,
    commandDoes: 'shows what happened',
  },
  'check-overdue': {
    title: 'Check promised, and not come by the due day',
    whatToDo: 'Once it is here, record it; or withdraw the promise, and her card is charged.',
    command: (id: string) => `support pay-by-check ${id} --received DATE --by NAME`,
    commandDoes: 'records that it has come',
  },
  disputed: {
    title: 'A charge is disputed',
    whatToDo:
      'Nothing is charged or refunded by itself. Please answer the bank in Stripe’s dashboard before its deadline.',
    command: (id: string) => `support show ${id}`,
    commandDoes: 'shows what she paid and agreed to',
  },
  'refund-by-hand': {
    title: 'Cancelled, and to be refunded by hand',
    whatToDo:
      'Give back the sum that stands with each of them: to the card in Stripe’s dashboard, or by check what came by check.',
    command: (id: string) => `support show ${id}`,
    commandDoes: 'shows how the sum comes about',
  },
  'letter-failed': {
    title: 'Letters that did not get through',
    whatToDo: 'A mailbox refused them for good. Ask for another address, or try them again.',
    command: (id: string) => `support edit-address ${id} EMAIL`,
    commandDoes: 'corrects her address, and sends what is due to it',
  },
  payments: {
    title: 'Payments that a person must look at',
    whatToDo:
      'They were paid otherwise than the site made them, or cannot be read. The worker’s log names them; support looked-at takes them off this list.',
  },
} as const;

/** The words of the digest to the office: once a day, while something needs it. */
export const officeDigestMail = {
  subject: (count: number, { title }: Facts) =>
    `${count === 1 ? 'One thing needs' : `${count} things need`} you: ${title}`,
  preheader: (titles: readonly string[]) => titles.join('; '),
  title: (day: string) => `What needs you, ${formatDate(day)}`,
  intro: ({ title }: Facts) =>
    `This is how the registrations for ${title} stand at this moment. What is settled meanwhile is not listed any more.`,
  needs,
  count: (count: number) => (count === 1 ? 'One payment.' : `${count} payments.`),
  since: (day: string) => `since ${day}`,
  obstacles: {
    'no-consent': 'no consent to a charge is on record',
    'too-late': 'it would be due after the retreat',
    'no-notice': 'no letter announced the charge in time',
  },
  commandHint: (command: string, does: string) => `${command} ${does}.`,
  another: 'The next digest comes tomorrow, while anything is left to do.',
  reason: (pageUrl: string) => `${pageUrl} sends you this digest once a day while something needs you.`,
} as const;
