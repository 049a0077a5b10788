import { formatCents, formatDollars } from '#shared/money.ts';
import type { OfficeContact } from '#shared/page.ts';
import {
  BALANCE_BEFORE_FEE,
  BALANCE_CENTS,
  CARD_FEE_PER_MILLE,
  DEPOSIT_BEFORE_FEE,
  DEPOSIT_CENTS,
  PRICE_BY_CARD_CENTS,
  retreatPackage,
} from '#shared/retreat-package.ts';
import { edition, formatDate } from './edition.ts';

export interface Policy {
  title: string;
  paragraphs: readonly string[];
}

/** The card fee for people: `3.75%`. */
export const cardFeeLabel = `${CARD_FEE_PER_MILLE / 10}%`;

/** A phone number that is not broken between its groups. */
export const onOneLine = (text: string): string => text.replaceAll(' ', '\u00a0');

const balanceDueDate = formatDate(edition.balanceDueDate);

/** The whole price by card, for where there is little room. */
export const priceByCard = `By card ${formatCents(PRICE_BY_CARD_CENTS)} in all`;

/** The whole price, by the ways to pay it. */
export const wholePrice = `${priceByCard}; by check ${formatDollars(retreatPackage.total)}`;

/** What follows the deposit. */
export const afterDeposit = `The deposit is non-refundable. The balance of ${formatCents(BALANCE_CENTS)} is charged to the same card on ${balanceDueDate}.`;

/** What is charged, when, and how to pay otherwise (R8). */
export function registrationPaymentPolicy({ officeEmail, officePhone }: OfficeContact): Policy {
  return {
    title: 'Registration Payment Policy',
    paragraphs: [
      `A deposit of ${formatDollars(DEPOSIT_BEFORE_FEE)} plus a ${cardFeeLabel} credit card processing fee is due when you register. In whole dollars that makes ${formatCents(DEPOSIT_CENTS)}, which your card is charged today.`,
      `The balance is due on ${balanceDueDate}. On that day ${formatDollars(BALANCE_BEFORE_FEE)} plus the ${cardFeeLabel} fee, ${formatCents(BALANCE_CENTS)} in all, is charged to the card on file.`,
      `To pay by check without card fees, or to ask about a payment plan, contact the retreat office at ${officeEmail} or ${onOneLine(officePhone)}.`,
    ],
  };
}

/** `e-mail`, `e-mail or fax`, `e-mail, fax or post`. */
function oneOf(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
}

/** How to cancel; a way that the office does not have is left out. */
function cancelInWriting({ officeEmail, officeFax, officePostalAddress, officeLegalName }: OfficeContact) {
  const ways = [{ name: 'e-mail', act: `write to ${officeEmail}` }];
  if (officeFax) ways.push({ name: 'fax', act: `fax ${onOneLine(officeFax)}` });
  if (officePostalAddress) {
    const addressee = officeLegalName ?? edition.siteName;
    ways.push({ name: 'post', act: `send a letter to ${addressee}, ${officePostalAddress}` });
  }
  const [names, acts] = [ways.map(({ name }) => name), ways.map(({ act }) => act)];
  return `Cancellations must be made in writing, by ${oneOf(names)}: ${oneOf(acts)}.`;
}

/** What comes back to whom, until when, and how to say so (R8). */
export function cancellationPolicy(office: OfficeContact): Policy {
  return {
    title: 'Cancellation Policy',
    paragraphs: [
      'The deposit is non-refundable.',
      `If you cancel by ${balanceDueDate}, we refund the tuition you have paid, minus the deposit and card fees. After ${balanceDueDate} there are no refunds, transfers or credits.`,
      cancelInWriting(office),
    ],
  };
}

/** What a participant agrees to about recordings (R8). */
export const audioRecordingNotice: Policy = {
  title: 'Audio recording',
  paragraphs: [
    'The retreat is audio recorded. By registering, you consent to the recording, and to the publication of your likeness and of what you say during the retreat.',
  ],
};
