import type { FoundJob } from '#server/acts/mail-jobs.ts';
import { actsAbout, type OfficeAct } from '#server/office/acts/office-act.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';

/** What a registration's acts go by. */
export interface Situation {
  record: RegistrationRecord;
  now: Date;
  /** The jobs of her letters, the newest first. */
  letters: readonly FoundJob[];
}

/** Something that people do about a registration. */
export type RegistrationAct = OfficeAct<Situation>;
export const registrationAct = actsAbout<Situation>();
