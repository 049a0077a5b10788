import type * as v from 'valibot';
import type { FoundJob } from '#server/acts/mail-jobs.ts';
import { type ActSpec, actsAbout, type OfficeAct } from '#server/office/acts/office-act.ts';
import type { Message } from '#server/payments/messages.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';

/** What the acts on a registration are based on. */
export interface Situation {
  record: RegistrationRecord;
  now: Date;
  /** The jobs of her letters, the newest first. */
  letters: readonly FoundJob[];
  /** The letters that the office wrote to many, of which she may have had some. */
  messages: readonly Message[];
}

/** The headings under which the page of a registration offers its acts. */
export const actGroups = {
  money: 'Money',
  cancelling: 'Cancelling and giving back',
  notes: 'Notes',
  details: 'Her details',
  letters: 'Letters',
  link: 'The link to her page',
  support: 'For support',
} as const;
export type ActGroup = keyof typeof actGroups;

/** The heading under which an act is offered. */
interface Grouped {
  group: ActGroup;
}

/** An act on a registration. */
export interface RegistrationAct extends OfficeAct<Situation>, Grouped {}

const officeAct = actsAbout<Situation>();

/** Makes an act on a registration. */
export function registrationAct<Takes extends v.ObjectEntries>(
  spec: ActSpec<Takes, Situation> & Grouped,
): RegistrationAct {
  return { ...officeAct(spec), group: spec.group };
}
