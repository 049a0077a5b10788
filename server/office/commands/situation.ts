import type { Announcements } from '#server/letters/announcements.ts';
import type { RegistrationRecord } from '#server/registration/registration.ts';

/** A registration as it is on record, and what was announced to everybody of its edition. */
export interface Situation {
  record: RegistrationRecord;
  announced: Announcements;
  now: Date;
}
