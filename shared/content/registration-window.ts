import type { Facts } from './edition.ts';

/** Whether people can register: always, never, or in the edition's own time. */
export const registrationModes = ['open', 'closed', 'auto'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** How long what was begun before can still be paid. */
const GRACE_MS = 60 * 60 * 1000;

type Windowed = Pick<Facts, 'registration'>;

/** Whether a registration is taken at a given moment; `auto` goes by the edition's own window. */
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

/** Whether what is not paid by now never will be: `closed` alone, which may be for an hour, does not say so. */
export function isRegistrationOver({ registration }: Windowed, mode: RegistrationMode, now: Date): boolean {
  return mode !== 'open' && now.getTime() >= Date.parse(registration.closes) + GRACE_MS;
}
