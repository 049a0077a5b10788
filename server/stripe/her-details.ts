import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import { confirmUntil, isSameAddress } from '#server/letters/holder-letters.ts';
import {
  addAct,
  answersColumn,
  changeRow,
  correctedDetails,
  type Done,
  detailOf,
  findRegistration,
  findRow,
  HERSELF,
  isHandedOver,
  personColumns,
  type Register,
  type RegistrationRecord,
  readAnswers,
  refused,
  registrantIn,
  type Whose,
} from '#server/registration/registration.ts';
import { customerOf } from '#server/stripe/customers.ts';
import type { Records } from '#server/stripe/record-payments.ts';
import { ifStillOpen } from '#server/stripe/stripe-calls.ts';
import type { Question } from '#shared/content/questions.ts';
import type { Contact } from '#shared/registration.ts';

/**
 * Corrects details, also of her customer, and records what they were. With another address the links in earlier letters stop
 * working, as those may have reached somebody else. The customer comes first, because Stripe validates the address.
 * @returns false when there is no such registration, or it is closed or forgotten
 */
export async function correctDetails(
  records: Records,
  { id: given }: Whose,
  values: Partial<Contact>,
  by: string,
  at: Date,
): Promise<boolean> {
  const { stripe } = records;
  const before = await findRegistration(records, given);
  if (!before || before.deposit === 'closed' || before.forgottenAt) return false;
  const { id, registrant, customerId } = before;
  const corrected = { ...registrant, ...values };
  if (!isDeepStrictEqual(corrected, registrant)) {
    if (isHandedOver(before, values)) throw refused('handed_over');
    if (customerId) await stripe.customers.update(customerId, customerOf(corrected));
    const { deposit, depositPayment } = before;
    if (deposit === 'unpaid' && depositPayment && values.email !== undefined)
      await ifStillOpen(stripe.paymentIntents.update(depositPayment.id, { receipt_email: values.email }));
    try {
      await record(records, before, values, { by, at });
    } catch (error) {
      // Somebody else may have corrected something meanwhile: the customer gets what the register has.
      const now = await findRegistration(records, id);
      if (now?.customerId) await stripe.customers.update(now.customerId, customerOf(now.registrant));
      throw error;
    }
  }
  return true;
}

export async function askForAddress(
  { database }: Register,
  { id }: Whose,
  email: string,
  now: Date,
): Promise<void> {
  const asked = { askedAddress: email, askedAt: now };
  await database.write((transaction) => changeRow(transaction, id, asked));
}

export async function dropAddress({ database }: Register, { id }: Whose): Promise<void> {
  await database.write((transaction) => changeRow(transaction, id, { askedAddress: null, askedAt: null }));
}

export async function chooseTimeZone({ database }: Register, { id }: Whose, timeZone: string): Promise<void> {
  await database.write((transaction) => changeRow(transaction, id, { timeZone }));
}

/** @param to the address that was written to, where she pressed the link */
export async function confirmAddress(
  records: Records,
  { id }: Whose,
  to: string,
  now: Date,
): Promise<'confirmed' | 'gone' | 'handed-over'> {
  const record = await findRegistration(records, id);
  if (!record) return 'gone';
  // It was already confirmed, and the response was lost.
  if (isSameAddress(record.registrant.email, to)) return 'confirmed';
  if (isHandedOver(record, { email: to })) return 'handed-over';
  const { addressAsked } = record;
  const until = confirmUntil(record);
  if (!addressAsked || !isSameAddress(addressAsked.to, to) || !until || now >= until) return 'gone';
  const isCorrected = await correctDetails(records, { id }, { email: addressAsked.to }, HERSELF, now);
  return isCorrected ? 'confirmed' : 'gone';
}

/** An act for each detail that has changed; for an address in another case only, none. */
async function record(
  { database }: Records,
  { id, registrant }: RegistrationRecord,
  values: Partial<Contact>,
  { by, at }: Done,
): Promise<void> {
  const acts = correctedDetails.map((detail) => ({ detail, id: uuidV7() }));
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    if (!row) throw refused('corrected_meanwhile');
    const before = registrantIn(row);
    const corrected = { ...before, ...values };
    const changed = acts.filter(({ detail }) => detailOf(before, detail) !== detailOf(corrected, detail));
    if (changed.length > 0 && !isDeepStrictEqual(before, registrant)) throw refused('corrected_meanwhile');
    const isMoved = !isSameAddress(before.email, corrected.email);
    for (const { detail, id: act } of changed) {
      if (detail === 'email' && !isMoved) continue;
      const facts = { detail, was: detailOf(before, detail) };
      await addAct(transaction, { id: act, subject: id, kind: 'corrected', at, by, facts });
    }
    const moved = {
      linksEpoch: row.linksEpoch + 1,
      askedAddress: null,
      askedAt: null,
      letterWaits: 0 as const,
    };
    await changeRow(transaction, id, { ...personColumns(corrected, row.namesBefore), ...(isMoved && moved) });
  });
}

export interface Given {
  question: Question;
  answer: string;
}

/** An answer that is the same as before keeps its time; an empty one takes it back. */
export async function answerQuestions(
  { database }: Register,
  { id }: Whose,
  given: readonly Given[],
  at: Date,
): Promise<void> {
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    if (!row || row.forgottenAt !== null) return;
    const before = readAnswers(row);
    const after = new Map(before.map((one) => [one.question, one]));
    for (const { question, answer } of given) {
      const { id: name, text: asked } = question;
      if (answer === '') after.delete(name);
      else if (after.get(name)?.answer !== answer) after.set(name, { question: name, asked, answer, at });
    }
    const answers = [...after.values()];
    if (!isDeepStrictEqual(answers, before))
      await changeRow(transaction, id, { answers: answersColumn(answers) });
  });
}
