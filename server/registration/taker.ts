import type { Contact } from '#shared/registration.ts';
import type { Register } from './acts.ts';
import { findByAddress } from './read-registration.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { comparableName } from './registrations.ts';

/** Why a place cannot be handed over to somebody; undefined where it can. */
export async function takerStop(
  register: Register,
  { id, registrant, edition }: RegistrationRecord,
  to: Contact,
): Promise<'same-address' | 'has-place' | undefined> {
  if (registrant.email.toLowerCase() === to.email.toLowerCase()) return 'same-address';
  const others = await findByAddress(register, to.email);
  const isSame = (one: RegistrationRecord): boolean =>
    one.id !== id &&
    one.edition.facts.id === edition.facts.id &&
    comparableName(one.registrant) === comparableName(to);
  return others.some(isSame) ? 'has-place' : undefined;
}
