import { MAIL_KINDS, type MailKind } from '#server/mail/job.ts';

/**
 * The words for a kind that was recorded; another release may have recorded kinds that this one does not
 * know.
 */
export function letterWordsOf(kind: string): string {
  const known = MAIL_KINDS.find((one) => one === kind);
  return known ? letterWords[known] : kind;
}

/** What each mail is, for the office. */
export const letterWords: Readonly<Record<MailKind, string>> = {
  'registration-received': 'Your registration has arrived',
  'office-notice': 'To the office: somebody registers',
  'office-change': 'To the office: her details have changed',
  welcome: 'Welcome',
  'second-payment': 'We received two payments of yours',
  'office-paid': 'To the office: she paid the deposit',
  'balance-notice': 'The balance will be charged',
  'balance-reminder': 'The balance is charged in a few days',
  'balance-postponed': 'The balance is charged on another day',
  'card-expires': 'Your card expires before the charge',
  'please-pay': 'Please pay the balance',
  'balance-failed': 'Your card was declined',
  'balance-paid': 'Receipt for the balance',
  'cancel-received': 'You have cancelled',
  'office-cancel': 'To the office: she has cancelled',
  'cancel-undone': 'You have not cancelled after all',
  'office-cancel-undone': 'To the office: she has taken back her cancellation',
  cancelled: 'The result of your cancellation',
  'refund-failed': 'Your bank did not take the refund',
  'refund-made': 'Money comes back to you',
  'test-session': 'When the test session is',
  'way-in': 'The way into the room',
  'confirm-address': 'Please confirm your new address',
  'address-changed': 'Your letters go to another address now',
  'schedule-changed': 'The schedule has changed',
  recordings: 'The recordings are ready',
  'place-link': 'The link to your page',
  'waiting-received': 'Please confirm: the waiting list',
  'office-waiting': 'To the office: somebody waits for a place',
  'place-offered': 'A place is free for you',
  'office-digest': 'To the office: what needs you today',
};
