import type { MailJob } from '#server/mail/job.ts';
import { edition, formatDate, formatDateSpan } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import { BALANCE_CENTS } from '#shared/retreat-package.ts';
import { composeLetter } from './letter.tsx';
import type { Message, MessageContext } from './message.ts';

/** To the registrant, once Stripe says that the deposit is paid: the welcome with its receipt (R5.3). */
export function welcome(
  { firstName, amountCents, paymentIntentId }: Extract<MailJob, { kind: 'welcome' }>,
  context: MessageContext,
): Message {
  const letter = {
    subject: `Welcome to ${edition.title}`,
    greeting: `Dear ${firstName},`,
    paragraphs: [
      `Your place is reserved. We look forward to meeting you live online from ${formatDateSpan(edition.startDate, edition.endDate)}.`,
      `Receipt: your card was charged ${formatCents(amountCents)} in US dollars for the deposit, card fee included. Reference: ${paymentIntentId}.`,
      `The balance of ${formatCents(BALANCE_CENTS)}, card fee included, will be charged to the same card on ${formatDate(edition.balanceDueDate)}.`,
    ],
  };
  return composeLetter(letter, context);
}
