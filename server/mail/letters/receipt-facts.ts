import { edition } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import { dollarsToCents, formatCents } from '#shared/money.ts';
import { DEPOSIT_BEFORE_FEE, DEPOSIT_CENTS } from '#shared/retreat-package.ts';
import type { Fact } from './letter.ts';
import { fullName, isolate, safeName } from './names.ts';
import type { WelcomeJob } from './welcome.ts';

const words = welcomeMail.receipt;

/** The lines of the receipt. An amount that is not today's deposit is not taken apart: it was made up otherwise. */
export function receiptFacts(job: WelcomeJob): Fact[] {
  const name = isolate(safeName(fullName(job)));
  return [
    { label: words.purpose, value: edition.selectionLabel },
    ...(name ? [{ label: words.name, value: name }] : []),
    ...(job.amountCents === DEPOSIT_CENTS ? depositParts() : []),
    { label: words.total, value: words.totalInDollars(formatCents(job.amountCents)), strong: true },
    { label: words.reference, value: job.paymentIntentId },
  ];
}

function depositParts(): Fact[] {
  const beforeFee = dollarsToCents(DEPOSIT_BEFORE_FEE);
  return [
    { label: words.deposit, value: formatCents(beforeFee) },
    { label: words.fee, value: formatCents(DEPOSIT_CENTS - beforeFee) },
  ];
}
