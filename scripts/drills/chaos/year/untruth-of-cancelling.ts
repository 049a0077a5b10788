import type { Story } from './account.ts';
import { isOfCancel, sumOf } from './judge-refunds.ts';
import type { DatedMail } from './ledger.ts';

/**
 * What a letter about cancelling or a refund says that was not true while the letter was in flight; undefined
 * when everything was true.
 */
export function untruthOfCancelling(
  kind: string,
  { at, underWaySince: since, text }: DatedMail,
  story: Story,
): string | undefined {
  const { cancel, workedOff, refunds, givenBack } = story;
  const cancelledAt = cancel?.at ?? Number.POSITIVE_INFINITY;
  const undoneAt = cancel?.undoneAt ?? Number.POSITIVE_INFINITY;
  const told = toldBack(text);
  switch (kind) {
    case 'cancel-received':
    case 'office-cancel':
      if (at < cancelledAt) return 'she has not cancelled';
      if (since > undoneAt) return 'she has taken it back';
      if (kind === 'cancel-received' && workedOff && since > workedOff.at) return 'it is worked off';
      return isTrueOfCancelling(told, since, story) ? undefined : 'another sum comes back';
    case 'cancel-undone':
    case 'office-cancel-undone':
      return at < undoneAt ? 'it was not taken back' : undefined;
    case 'cancelled': {
      if (!workedOff || at < workedOff.at) return 'it is not worked off';
      const cents = sumOf(refunds.filter(isOfCancel)) + workedOff.checkCents;
      return told === cents ? undefined : `it tells ${told} cents instead of ${cents}`;
    }
    case 'refund-failed': {
      const failed = refunds.find(({ status }) => status === 'failed');
      if (!failed) return 'no refund failed';
      return text.includes(inDollars(failed.cents)) ? undefined : 'another sum failed';
    }
    case 'refund-made':
      return givenBack.some((cents) => text.includes(inDollars(cents)))
        ? undefined
        : 'another sum was given back';
    default:
      return undefined;
  }
}

/**
 * A payment after she cancelled was not known when the letter was written. The cancellation of a disputed
 * payment is not carried out, so that there is no record to compare with.
 */
function isTrueOfCancelling(told: number | undefined, since: number, { workedOff, paid }: Story): boolean {
  if (told === undefined) return false;
  if (!workedOff) return true;
  const isPaidLater = paid.some((one) => one.at > since);
  return told === workedOff.cents + workedOff.checkCents || (isPaidLater && told === 0);
}

/** The sum that a letter says is refunded in all, in US cents. */
function toldBack(text: string): number | undefined {
  const [, sum] = /Comes back(?: to you)?:?\s+(Nothing|\$[\d,]+(?:\.\d\d)?)/.exec(text) ?? [];
  if (sum === undefined) return undefined;
  return sum === 'Nothing' ? 0 : Math.round(Number(sum.replaceAll(/[$,]/g, '')) * 100);
}

/** As letters write a sum. */
export function inDollars(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' }).replace('.00', '');
}
