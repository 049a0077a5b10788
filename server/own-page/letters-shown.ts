import type { LaterMailKind, mailRules, RegistrationMail } from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { allAnnounced } from '#server/payments/announced-letters.ts';
import { isUnreachable } from '#server/payments/bounce-mark.ts';
import { laterLetterNow, laterLettersDue } from '#server/payments/later-letters.ts';
import { factsOf } from '#server/payments/letter-facts.ts';
import { isWelcome } from '#server/payments/outbox.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { stateOf } from '#server/payments/registration-state.ts';
import { recordingsMail, scheduleChangedMail } from '#shared/content/announced-mails.ts';
import { asAgreed } from '#shared/content/as-agreed.ts';
import {
  balanceFailedMail,
  balancePaidMail,
  cardExpiresMail,
  chargeMails,
  pleasePayMail,
} from '#shared/content/balance-mails.ts';
import {
  cancelledMail,
  cancelReceivedMail,
  cancelUndoneMail,
  refundFailedMail,
  refundMadeMail,
  secondPaymentMail,
} from '#shared/content/cancel-mails.ts';
import type { Edition } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import type { OwnPageLetter } from '#shared/content/own-page-view.ts';
import { testSessionMail, wayInMail } from '#shared/content/retreat-mails.ts';

/** A letter after the welcome that goes to her, and not to another address. */
type KindToHer = {
  [Kind in LaterMailKind]: (typeof mailRules)[Kind]['to'] extends 'registrant' ? Kind : never;
}[LaterMailKind];

/** The letters that her page lists, in the order in which they are sent, with their subjects. */
const subjects: Readonly<Record<'welcome' | 'second-payment' | KindToHer, (edition: Edition) => string>> = {
  welcome: (edition) => welcomeMail(edition).subject,
  'second-payment': ({ facts }) => secondPaymentMail.subject(facts),
  'card-expires': ({ facts }) => cardExpiresMail.subject(facts),
  'balance-notice': ({ facts }) => chargeMails['balance-notice'].subject(facts),
  'balance-postponed': ({ facts }) => chargeMails['balance-postponed'].subject(facts),
  'balance-reminder': ({ facts }) => chargeMails['balance-reminder'].subject(facts),
  'please-pay': ({ facts }) => pleasePayMail.subject(facts),
  'balance-failed': ({ facts }) => balanceFailedMail.subject(facts),
  'balance-paid': ({ facts }) => balancePaidMail.subject(facts),
  'test-session': ({ facts }) => testSessionMail.subject(facts),
  'way-in': ({ facts }) => wayInMail.name(facts),
  'cancel-received': ({ facts }) => cancelReceivedMail.subject(facts),
  'cancel-undone': ({ facts }) => cancelUndoneMail.subject(facts),
  cancelled: ({ facts }) => cancelledMail.subject(facts),
  'refund-failed': ({ facts }) => refundFailedMail.subject(facts),
  'refund-made': ({ facts }) => refundMadeMail.subject(facts),
  'schedule-changed': (edition) => scheduleChangedMail(edition).subject,
  recordings: (edition) => recordingsMail(edition).subject,
};
export type ShownKind = keyof typeof subjects;

export const shownKinds = [
  'welcome',
  'second-payment',
  'card-expires',
  'balance-notice',
  'balance-postponed',
  'balance-reminder',
  'please-pay',
  'balance-failed',
  'balance-paid',
  'test-session',
  'way-in',
  'cancel-received',
  'cancel-undone',
  'cancelled',
  'refund-failed',
  'refund-made',
  'schedule-changed',
  'recordings',
] as const satisfies readonly ShownKind[];

/**
 * The state of the letters to her: from the register and, for those that are owed, from the queue.
 */
export async function lettersShown(
  record: RegistrationRecord,
  now: Date,
  mailQueue: Pick<MailQueue, 'stateOf'>,
): Promise<OwnPageLetter[]> {
  const owed = lettersOwed(record, now);
  const shown = shownKinds.map(async (kind): Promise<OwnPageLetter[]> => {
    const waiting = owed.find((job) => job.kind === kind);
    if (!waiting && record.letters[kind] !== 'sent') return [];
    const state = waiting ? await mailQueue.stateOf(waiting) : hasComeBack(kind, record) ? 'failed' : 'sent';
    const again = state !== 'waiting' && applies(kind, record, now);
    return [{ kind, subject: subjects[kind](asAgreed(record.edition, record.agreed)), state, again }];
  });
  return (await Promise.all(shown)).flat();
}

/** The letters that are true and not sent, with as much of their data as their job ids need. */
function lettersOwed(record: RegistrationRecord, now: Date): RegistrationMail[] {
  const due = laterLettersDue(record, now);
  if (record.letters.welcome !== 'owed' || !isWelcome(record, now)) return due;
  const { depositCents: amountCents } = record;
  return [{ kind: 'welcome', ...factsOf(record), amountCents }, ...due];
}

function hasComeBack(kind: ShownKind, record: RegistrationRecord): boolean {
  return isUnreachable(record) && record.bounced?.kind === kind;
}

/** Whether a letter still applies, so that it can be sent again. */
function applies(kind: ShownKind, record: RegistrationRecord, now: Date): boolean {
  if (kind === 'welcome') return isWelcome(record, now);
  if (kind === 'second-payment') return stateOf(record, now) === 'second-payment';
  return laterLetterNow(kind, record, now, allAnnounced(record.edition, now)) !== undefined;
}
