import { isDeepStrictEqual } from 'node:util';
import Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { type ActRow, rowsWith } from '#server/database/database.ts';
import {
  actsOfHolder,
  addAct,
  type CardOnFile,
  findRegistration,
  HER_BANK,
  HERSELF,
  lastOfKind,
  type NamedAct,
  NOT_TRIED,
  type Refusal,
  type RegistrationRecord,
  readActs,
  readRegistration,
  THE_WORKER,
  tooManyDeclines,
} from '#server/registration/registration.ts';
import { readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, ifThere, isUnexpectedState, momentOf } from './stripe-calls.ts';

/**
 * The balance is charged to it from now on.
 * @returns undefined where it was detached since, or is that of an earlier holder, or of somebody who is to get the place
 */
export async function recordCard(
  { stripe, database }: Records,
  { id: subject, customerId, acts: before }: RegistrationRecord,
  setupIntentId: string,
): Promise<'news' | 'known' | undefined> {
  const isRecorded = (acts: readonly ActRow[]) => acts.some(({ id }) => id === setupIntentId);
  if (isRecorded(before)) return 'known';
  const stored = await readStored(stripe, subject, setupIntentId);
  if (!stored?.customer || stored.customer !== customerId) return undefined;
  const { since, ...facts } = stored.card;
  const act = { id: setupIntentId, subject, kind: 'card' as const, at: since, by: HERSELF, facts };
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    if (stored.linksEpoch < (lastOfKind(acts, 'handed-over')?.linksEpoch ?? 0)) return undefined;
    const given = lastOfKind(actsOfHolder(acts), 'card');
    const isNews = !given || (given.id !== facts.id && given.since <= since);
    if (isNews) await addAct(transaction, act);
    return isNews || isRecorded(acts) ? 'news' : undefined;
  });
}

export async function readStored(stripe: Stripe, registration: string, setupIntentId: string) {
  const setup = await ifThere(stripe.setupIntents.retrieve(setupIntentId, { expand: ['payment_method'] }));
  const marks = setup && readMarks(setup);
  const method = setup?.status === 'succeeded' ? setup.payment_method : null;
  if (marks?.registration !== registration || !method || typeof method === 'string') return undefined;
  const facts = factsOf(method);
  const customer = idOf(method.customer);
  return facts && { ...marks, customer, card: { ...facts, since: momentOf(method.created) } };
}

/**
 * Records that her bank has changed a card on file, or that it was detached from this customer for good.
 * @returns its registration, if it is still on file
 * @see https://docs.stripe.com/payments/cards/overview#automatic-card-updates
 */
export async function recordChangeOfCard(
  { stripe, database }: Records,
  cardId: string,
  at: Date,
  detachedFrom?: string,
): Promise<string | undefined> {
  const method = await ifThere(stripe.paymentMethods.retrieve(cardId));
  const isDetached = !method?.customer;
  const customer = isDetached ? detachedFrom : idOf(method.customer);
  const facts = method && factsOf(method);
  if (!customer || !facts) return undefined;
  const id = uuidV7();
  return database.write(async (transaction) => {
    const [row] = await rowsWith(transaction, 'registrations', 'customer', [customer]);
    const { card, acts } = (row && (await readRegistration(transaction, row.id))) ?? {};
    if (acts?.some((act) => act.id === id)) return row?.id;
    if (!row || card?.id !== cardId) return undefined;
    const act = { id, subject: row.id, at };
    const { since: _, ...held } = card;
    if (isDetached) await addAct(transaction, { ...act, kind: 'card-detached', by: THE_WORKER });
    else if (!isDeepStrictEqual(held, facts))
      await addAct(transaction, { ...act, kind: 'card', by: HER_BANK, facts });
    return row.id;
  });
}

/** How Stripe refused a card that was confirmed; undefined for any other failure. */
export async function refusalOf(
  records: Records,
  { id }: Pick<RegistrationRecord, 'id'>,
  card: string,
  error: unknown,
  now: Date,
): Promise<Refusal | undefined> {
  if (error instanceof Stripe.errors.StripeCardError) return error;
  if (isUnexpectedState(error) || !(error instanceof Stripe.errors.StripeInvalidRequestError))
    return undefined;
  // Of a detached card Stripe names neither a code nor a parameter. She may have a new customer since.
  const { customerId } = (await findRegistration(records, id)) ?? {};
  await recordChangeOfCard(records, card, now, customerId);
  return { code: `${NOT_TRIED}${error.code ?? error.param ?? 'refused'}`, advice_code: 'do_not_try_again' };
}

function factsOf({ id, card }: Stripe.PaymentMethod): Omit<CardOnFile, 'since'> | undefined {
  if (!card) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card;
  return { id, brand, last4, expMonth, expYear };
}

const MAX_FAILURES = 5;

/** For how long a card that could not be stored counts, whatever was to store it: each proof begins again. */
const CARD_COUNTS_MS = 24 * 60 * 60 * 1000;

/**
 * Records a failed attempt against testers of stolen cards, once under the id of Stripe's event.
 * @returns whether there were too many by now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function isOneTooMany(
  { database }: Records,
  failure: Pick<NamedAct, 'id' | 'subject' | 'kind' | 'at'>,
): Promise<boolean> {
  const { id, subject, kind, at } = failure;
  return database.write(async (transaction) => {
    const failed = failuresIn(await readActs(transaction, subject), kind, at);
    if (failed.length >= MAX_FAILURES) return true;
    if (failed.some((act) => act.id === id)) return false;
    await addAct(transaction, { ...failure, by: HERSELF });
    return failed.length + 1 >= MAX_FAILURES;
  });
}

export function requireFewFailedCards(acts: readonly ActRow[], now: Date): void {
  if (failuresIn(acts, 'card-failed', now).length >= MAX_FAILURES) throw tooManyDeclines();
}

function failuresIn(acts: readonly ActRow[], kind: string, now: Date): readonly ActRow[] {
  const since = kind === 'card-failed' ? now.getTime() - CARD_COUNTS_MS : 0;
  return acts.filter((act) => act.kind === kind && act.happenedAt.getTime() > since);
}
