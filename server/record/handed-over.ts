import { folded } from '#server/service/folded.ts';
import type { Contact } from '#shared/registration.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** Why such a correction is refused, for the office. */
export const HANDED_OVER =
  'Her name and her address would both differ from those she paid with, so this would be another person’s place. A place cannot be handed over by a correction: hand it over to that person instead, so that both agree';

/**
 * Whether corrected details would be another person's: of her first name, her last name and her e-mail address,
 * none would be as it was when she paid.
 */
export function isHandedOver(
  { paidAs, registrant }: Pick<RegistrationRecord, 'paidAs' | 'registrant'>,
  corrected: Partial<Contact>,
): boolean {
  if (!paidAs) return false;
  const { firstName, lastName, email } = { ...registrant, ...corrected };
  const was = ` ${folded(paidAs.name)} `;
  // First and last name are on record as one text; they may also have changed places.
  const isNameKept = [firstName, lastName].some((name) => {
    const part = ` ${folded(name)} `;
    return was.startsWith(part) || was.endsWith(part);
  });
  return !isNameKept && email.toLowerCase() !== paidAs.email.toLowerCase();
}
