import type { MailJob } from '#server/mail/job.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** The letters about its balance that are due for a registration: true at this moment, and not sent or dismissed. */
export function balanceLettersDue(_record: RegistrationRecord, _now: Date): MailJob[] {
  return [];
}
