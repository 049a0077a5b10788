import { sampleOffice } from '#scripts/product/environment.ts';
import type { Story } from './account.ts';
import { dayOf, NOTICE_MS } from './judge-money.ts';
import type { DatedMail } from './ledger.ts';
import { addressesOf, addressOf, type Person } from './people.ts';
import { isAboutRetreat } from './retreat-letters.ts';
import { dueAt, dueCents, isCancelledAt, settledAt, wasDead } from './story-at.ts';
import { inDollars, untruthOfCancelling } from './untruth-of-cancelling.ts';
import { untruthOfRetreat } from './untruth-of-retreat.ts';

/**
 * What a letter says that was not true; undefined when everything was true at some moment while it was in
 * flight.
 */
export function untruthOf(kind: string, mail: DatedMail, story: Story): string | undefined {
  const { at, underWaySince: since, text } = mail;
  const { paidAt = Number.POSITIVE_INFINITY, paid, person } = story;
  const { edition } = person;
  const isToOffice = kind.startsWith('office-');
  const addresses = isToOffice ? [sampleOffice.OFFICE_EMAIL] : addresseesOf(kind, person);
  if (!mail.recipients.every((one) => addresses.includes(one))) return 'it went to somebody else';
  if (!isToOffice && !mail.subject.includes(edition.title)) return 'it is about another edition';
  if (kind === 'office-cancel' && !addressesOf(person).includes(mail.replyTo))
    return 'its answer goes to somebody else';
  if (!isToOffice && mail.recipients.some((one) => wasDead(story, one, since, at)))
    return 'her address takes no letters';
  if (isAboutRetreat(kind)) return untruthOfRetreat(kind, mail, story);
  const settled = settledAt(story);
  const isOpen = (): string | undefined => {
    if (since > settled) return 'it is paid';
    if (isCancelledAt(story, since) && isCancelledAt(story, at)) return 'she cancelled';
    if (since > story.disputedAt) return 'she disputes it';
    return at < paidAt ? 'the deposit is not paid' : undefined;
  };
  switch (kind) {
    case 'registration-received':
    case 'office-notice':
      return since > paidAt ? 'the deposit is paid' : undefined;
    case 'welcome':
    case 'office-paid':
      return at < paidAt ? 'the deposit is not paid' : undefined;
    case 'balance-notice':
    case 'balance-postponed':
    case 'balance-reminder':
      return isOpen() ?? untruthOfCharge(kind, mail, story);
    case 'card-expires':
      if (!person.cardEnds) return 'her card is valid';
      if (since > story.newCardAt) return 'she gave another card';
      return isOpen() ?? untruthOfCharge(kind, mail, story);
    case 'please-pay':
      return (
        isOpen() ?? (paid.some(({ withoutHer }) => withoutHer) ? 'she is charged all the same' : undefined)
      );
    case 'balance-failed':
      if (!story.refusedAt.some((refused) => refused <= at)) return 'no card was refused';
      return isOpen() ?? (tellsSum(text, dueCents(story, since)) ? undefined : 'another sum is due');
    case 'balance-paid': {
      if (at < settled) return 'it is not paid';
      const cents = paid[0]?.cents ?? edition.checkCents;
      return tellsSum(text, cents) && tellsSum(text, edition.depositCents)
        ? undefined
        : 'other sums were paid';
    }
    default:
      return untruthOfCancelling(kind, mail, story);
  }
}

function addresseesOf(kind: string, person: Person): string[] {
  if (kind === 'confirm-address') return [addressOf(person, true)];
  return kind === 'address-changed' ? [addressOf(person, false)] : addressesOf(person);
}

/**
 * Checks a letter about a future charge: day and sum are right, she has not decided otherwise, and a notice
 * is in time.
 */
function untruthOfCharge(
  kind: string,
  { at, underWaySince: since, text }: DatedMail,
  story: Story,
): string | undefined {
  const { person, postponed, waivingAt } = story;
  const isPostponed = postponed !== undefined && at >= postponed.askedAt;
  const due = [dueAt(story, since), dueAt(story, at), ...(isPostponed ? [postponed.until] : [])];
  const sums = [dueCents(story, since), dueCents(story, at), ...(at >= waivingAt ? [person.cents] : [])];
  const { edition } = person;
  const { notice, reminder, charge } = edition.moments;
  const earliest = new Map([
    ['balance-notice', charge - notice],
    ['balance-reminder', charge - reminder],
  ]);
  const ahead = earliest.get(kind);
  if (ahead !== undefined && !due.some((moment) => at >= moment - ahead)) return 'it comes before its time';
  if (!due.some((moment) => text.includes(dayOf(moment, edition)))) return 'another day is due';
  if (!due.some((moment) => since < moment)) return 'the day is past';
  if (since > story.checkAt) return 'she pays by check';
  if (person.ending === 'waived' && since > story.waivedAt) return 'it is waived';
  if (!sums.some((cents) => tellsSum(text, cents))) return 'another sum is due';
  const isNotice = kind === 'balance-notice' || kind === 'balance-postponed';
  const isTooLate = isNotice && !due.some((moment) => since <= moment - NOTICE_MS);
  return isTooLate ? 'it comes too late for the charge' : undefined;
}

function tellsSum(text: string, cents: number): boolean {
  return text.includes(inDollars(cents));
}
