import { noteChange } from '#server/database/database.ts';
import { lastDigits } from '#shared/mail-and-phone.ts';
import { typedNumber } from '#shared/typed-text.ts';
import { SOMEBODY_WITH_LINK, WRONG_PROOFS_TOLD } from './act-kinds.ts';
import { type Register, utcDay } from './acts.ts';
import { isSame, sha256Of, type Token } from './links.ts';
import type { RegistrationRecord, Whose } from './registration-record.ts';
import { writeAct } from './write-acts.ts';

/** Older links stop working, a requested address is dropped. @returns whether they were renewed */
export async function renewLinks(
  { database }: Register,
  { subject, epoch }: Pick<Token, 'subject' | 'epoch'>,
): Promise<boolean> {
  // Also where the answer to the COMMIT was lost.
  let areRenewed = false;
  return database.write(async (transaction) => {
    const renewed = await transaction
      .updateTable('registrations')
      .set({ linksEpoch: epoch + 1, askedAddress: null, askedAt: null })
      .where('id', '=', subject)
      .where('linksEpoch', '=', epoch)
      .returning('id')
      .executeTakeFirst();
    areRenewed ||= renewed !== undefined;
    if (renewed) await noteChange(transaction, subject);
    return areRenewed;
  });
}

/** How a registrant proves her identity beyond holding a link, since letters may reach strangers too. */
interface SecondFactor {
  kind: 'postal-code' | 'phone';
  expected: string;
}

/** Only the first five digits of a ZIP code are compared: people may add the other four or not. */
const US_DIGITS = 5;
const PHONE_DIGITS = 4;

/** The postal code of a card's billing address in the form that is kept and compared; null where there is none. */
export function postalCodeOf(
  address: { postal_code: string | null; country: string | null } | null,
): string | null {
  const code = bare(address?.postal_code ?? '');
  if (code === '') return null;
  return address?.country === 'US' ? code.slice(0, US_DIGITS) : code;
}

/** The postal code of the deposit's card; without it, or for a later holder, the phone's last four digits. */
export function secondFactorOf({ postalCode, registrant }: Proven): SecondFactor {
  if (postalCode !== undefined) return { kind: 'postal-code', expected: postalCode };
  return { kind: 'phone', expected: lastDigits(registrant.phoneNumber, PHONE_DIGITS) };
}
type Proven = Pick<RegistrationRecord, 'postalCode' | 'registrant'>;

/** Whether she typed what is on record. Compares in constant time, so that the duration reveals nothing. */
export function isProof({ kind, expected }: SecondFactor, typed: string): boolean {
  if (expected === '') return false;
  const given = kind === 'phone' ? lastDigits(typed, PHONE_DIGITS) : bare(typed);
  const isLongCode = kind === 'postal-code' && /^\d{5}$/.test(expected) && /^\d{9}$/.test(given);
  return isSame(sha256Of(isLongCode ? given.slice(0, US_DIGITS) : given), sha256Of(expected));
}

/** Records that somebody gave a wrong proof on her page, at most three times a day (UTC): a letter tells her of the third. */
export async function recordWrongProof({ database }: Register, { id }: Whose, now: Date): Promise<void> {
  const day = utcDay(now);
  const act = { kind: 'proof-failed' as const, at: now, by: SOMEBODY_WITH_LINK };
  await writeAct(database, id, (acts) => {
    const ofToday = acts.filter(
      ({ kind, happenedAt }) => kind === 'proof-failed' && utcDay(happenedAt) === day,
    );
    return ofToday.length < WRONG_PROOFS_TOLD ? act : undefined;
  });
}

function bare(text: string): string {
  return typedNumber(text).replaceAll(/[\s-]/g, '').toUpperCase();
}
