import type { MailJob } from '#server/mail/job.ts';
import { edition, formatDateSpan } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import { DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import { composeLetter } from './letter.tsx';
import type { Message, MessageContext } from './message.ts';

/** To the registrant, as soon as the contact step is done (R5.3). */
export function registrationReceived(
  { firstName }: Extract<MailJob, { kind: 'registration-received' }>,
  context: MessageContext,
): Message {
  const letter = {
    subject: `We have your registration for ${edition.title}`,
    greeting: `Dear ${firstName},`,
    paragraphs: [
      `Thank you for reaching for a place in ${edition.title}, ${formatDateSpan(edition.startDate, edition.endDate)}. Your details have arrived safely.`,
      `Your place is yours as soon as the deposit of ${formatCents(DEPOSIT_CENTS)} is paid. If you were interrupted before that, open ${context.siteUrl} and reserve again: your card has not been charged.`,
    ],
  };
  return composeLetter(letter, context);
}
