import type { Facts } from './edition.ts';

/** Whether people can register: always, never, or in the edition's registration window. */
export const registrationModes = ['open', 'closed', 'auto'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** How long after the close a registration that was begun before can still be paid. */
const GRACE_MS = 60 * 60 * 1000;

type Windowed = Pick<Facts, 'registration'>;

/** Whether registration is open at a given moment; `auto` uses the edition's own window. */
export function isRegistrationOpen({ registration }: Windowed, mode: RegistrationMode, now: Date): boolean {
  if (mode !== 'auto') return mode === 'open';
  const { opens, closes } = registration;
  return now < new Date(closes) && (opens === undefined || now >= new Date(opens));
}

/** The moment at which registration opens, if that is still ahead. */
export function opensLater(
  { registration }: Windowed,
  mode: RegistrationMode,
  now: Date,
): string | undefined {
  const { opens } = registration;
  return mode === 'auto' && opens !== undefined && now < new Date(opens) ? opens : undefined;
}

/** When unpaid registrations can no longer be paid. */
export function registrationOverAt({ registration }: Windowed): Date {
  return new Date(Date.parse(registration.closes) + GRACE_MS);
}

/** Whether unpaid registrations can no longer be paid; not for `closed` alone, which may be temporary. */
export function isRegistrationOver(facts: Windowed, mode: RegistrationMode, now: Date): boolean {
  return mode !== 'open' && now >= registrationOverAt(facts);
}
