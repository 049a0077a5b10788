import { createHash, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import { hasKind, SOMEBODY_WITH_LINK, writeAct } from '#server/record/acts.ts';
import { ACTS, type Register } from '#server/record/on-record.ts';
import type { Whose } from '#server/record/registration-record.ts';
import { lastDigits } from '#shared/phone-number.ts';

/** How a registrant proves her identity beyond holding a link, since letters may reach strangers too. */
export interface SecondFactor {
  kind: 'postal-code' | 'phone';
  /** The value in the form that is compared; empty where nothing suitable is on record. */
  expected: string;
}

/** Only the first five digits of a ZIP code are compared: people may add the other four or not. */
const US_DIGITS = 5;
const PHONE_DIGITS = 4;

/**
 * The postal code of the card that paid the deposit; where none is on record, or the place came to her from who paid it, the
 * last four digits of her phone number.
 * @param deposit with its charge expanded
 * @param isPayer whether she has paid it herself
 */
export function secondFactorOf(
  { latest_charge: charge }: Pick<Stripe.PaymentIntent, 'latest_charge'>,
  { phoneNumber }: { phoneNumber: string },
  isPayer = true,
): SecondFactor {
  const address = typeof charge === 'string' ? undefined : charge?.billing_details.address;
  const code = bare(address?.postal_code ?? '');
  if (code !== '' && isPayer) {
    const expected = address?.country === 'US' ? code.slice(0, US_DIGITS) : code;
    return { kind: 'postal-code', expected };
  }
  return { kind: 'phone', expected: lastDigits(phoneNumber, PHONE_DIGITS) };
}

/** Whether she typed what is on record. Compares in constant time, so that the duration reveals nothing. */
export function isProof({ kind, expected }: SecondFactor, typed: string): boolean {
  if (expected === '') return false;
  const given = kind === 'phone' ? lastDigits(typed, PHONE_DIGITS) : bare(typed);
  const isLongCode = kind === 'postal-code' && /^\d{5}$/.test(expected) && /^\d{9}$/.test(given);
  return timingSafeEqual(digest(isLongCode ? given.slice(0, US_DIGITS) : given), digest(expected));
}

/** Records that somebody gave a wrong proof on her page, once a day (UTC): a letter tells her of it. */
export async function recordWrongProof({ database }: Register, { id }: Whose, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const act = { kind: ACTS.proofFailed, at: now, by: SOMEBODY_WITH_LINK };
  await writeAct(database, id, (acts) => {
    const ofToday = acts.filter(({ at }) => at.startsWith(day));
    return hasKind(ofToday, ACTS.proofFailed) ? undefined : act;
  });
}

/** Normalises case and spacing. */
function bare(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toUpperCase();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
