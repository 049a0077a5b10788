import { edition } from './edition.ts';

/** Whether people can register: always, never, or until the retreat begins. */
export const registrationModes = ['open', 'closed', 'auto'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** When the edition's registration ends of itself: the moment its first day begins, where the retreat is held. */
export const registrationEnds: Date = new Date(`${edition.startDate}T00:00:00${edition.utcOffset}`);

/** How long what was begun before can still be paid. */
const GRACE_MS = 60 * 60 * 1000;

/** Whether a registration is taken at a given moment; `auto` closes when the edition's first day begins. */
export function isRegistrationOpen(mode: RegistrationMode, now: Date): boolean {
  return mode === 'open' || (mode === 'auto' && now < registrationEnds);
}

/** Whether what is not paid by now never will be: `closed` alone, which may be for an hour, does not say so. */
export function isRegistrationOver(mode: RegistrationMode, now: Date): boolean {
  return mode !== 'open' && now.getTime() >= registrationEnds.getTime() + GRACE_MS;
}
