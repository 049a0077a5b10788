import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { addAct, HERSELF, readActs } from './acts.ts';
import { type CardOnFile, readCard } from './card-on-file.ts';
import type { Records } from './find-registration.ts';
import { ACTS } from './on-record.ts';
import { ownPageChanged } from './pay-balance.ts';
import { isMissing } from './provider-errors.ts';
import { depositOfCard, ownMarksOfCard } from './recognise-deposit.ts';
import type { RegistrationRecord } from './registration-record.ts';

/**
 * Begins to store another card for the balance, without a payment.
 * @returns the client secret that her browser stores it with
 */
export async function beginCardChange(
  stripe: Stripe,
  { id, edition, customerId }: RegistrationRecord,
): Promise<string> {
  if (!customerId) throw new Error(`${id} has no customer`);
  const { client_secret } = await stripe.setupIntents.create({
    customer: customerId,
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
    metadata: ownMarksOfCard(edition.facts, id),
  });
  if (client_secret === null) throw new Error(`The setup of a card for ${id} has no client secret`);
  return client_secret;
}

/**
 * Records a card that Stripe has stored for a registration: the balance is charged to it from now on. A late
 * or repeated call changes nothing: a card that she gave later is kept.
 * @throws {AppError} when no card was stored for this registration
 */
export async function recordCard(
  { stripe, database }: Records,
  record: RegistrationRecord,
  setupIntentId: string,
): Promise<void> {
  const setup = await stripe.setupIntents
    .retrieve(setupIntentId, { expand: ['payment_method'] })
    .catch((error: unknown) => {
      if (isMissing(error)) throw ownPageChanged();
      throw error;
    });
  const customer = typeof setup.customer === 'string' ? setup.customer : setup.customer?.id;
  const isHers =
    depositOfCard(setup) === record.id && customer !== undefined && customer === record.customerId;
  const card = cardOf(setup);
  if (!isHers || setup.status !== 'succeeded' || !card) throw ownPageChanged();
  if (record.card && (record.card.id === card.id || record.card.since > card.since)) return;
  const { since, ...facts } = card;
  const act = { id: uuidV7(), subject: record.id, kind: ACTS.card, at: since, by: HERSELF, facts };
  await database.write(async (transaction) => {
    const given = readCard(await readActs(transaction, record.id));
    if (!given || (given.id !== card.id && given.since <= since)) await addAct(transaction, act);
  });
}

function cardOf({ payment_method: method }: Stripe.SetupIntent): CardOnFile | undefined {
  if (!method || typeof method === 'string' || !method.card) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
  return { id: method.id, brand, last4, expMonth, expYear, since: new Date(method.created * 1000) };
}
