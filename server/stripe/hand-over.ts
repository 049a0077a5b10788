import {
  type Acceptance,
  type ActFacts,
  acceptPlace,
  actsOfHolder,
  findRegistration,
  hasKind,
  isHandedOverBy,
  lastOfKind,
  type RegistrationRecord,
  refused,
  THE_WORKER,
  writeAct,
} from '#server/registration/registration.ts';
import { cancelOpen } from './balance.ts';
import { endCheckouts, readTakersCard } from './checkout.ts';
import { customerOf, customerOfHeld } from './customers.ts';
import { readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, ifThere } from './stripe-calls.ts';

/** The open payment is then cancelled, as the holder before may have it open. A second press changes nothing. */
export async function acceptHandOver(
  records: Records,
  id: string,
  { session, ...accepted }: Acceptance & { session?: string | undefined },
  now: Date,
): Promise<void> {
  const { decidedAt } = accepted;
  const before = await findRegistration(records, id);
  if (before && isHandedOverBy(before, decidedAt)) return;
  const given = session ? await readTakersCard(records, id, session, decidedAt) : undefined;
  if (session && !given?.card) throw refused('changed');
  await acceptPlace(records, id, accepted, given?.card, now);
  await cancelOpen(records, id);
  await fitCustomer(records, id, now);
}

export function isCustomerToBeFitted({ handedOver, acts, forgottenAt }: RegistrationRecord): boolean {
  return handedOver !== undefined && !forgottenAt && !hasKind(actsOfHolder(acts), 'customer-fitted');
}

/** Gives the customer, by which payments are found, the name and card of the holder, and detaches earlier cards. */
export async function fitCustomer(records: Records, id: string, now: Date): Promise<boolean> {
  const record = await findRegistration(records, id);
  if (!record?.handedOver || !isCustomerToBeFitted(record)) return false;
  const { handedOver, card, customerId } = record;
  // Nothing of a customer who was deleted.
  if (customerId !== undefined || card)
    await ifThere(fit(records, await customerOfHeld(records, record, now), record, handedOver));
  const act = { kind: 'customer-fitted' as const, at: now, by: THE_WORKER };
  return writeAct(records.database, id, (acts) =>
    lastOfKind(acts, 'handed-over')?.linksEpoch === handedOver.linksEpoch ? act : undefined,
  );
}

async function fit(
  records: Records,
  customer: string,
  { id: registration, card, registrant }: RegistrationRecord,
  { linksEpoch, at }: ActFacts<'handed-over'>,
): Promise<void> {
  const { stripe } = records;
  await stripe.customers.update(customer, customerOf(registrant));
  const isBeforeHer = (epoch = 0) => epoch < linksEpoch;
  await endCheckouts(records, registration, isBeforeHer);
  const others = new Set<string | undefined>();
  for await (const setup of stripe.setupIntents.list({ customer, limit: 100 }))
    if (isBeforeHer(readMarks(setup)?.linksEpoch)) others.add(idOf(setup.payment_method));
  const methods = await stripe.customers.listPaymentMethods(customer, { limit: 100 }).autoPagingToArray(MOST);
  if (card && !methods.some(({ id }) => id === card.id))
    await stripe.paymentMethods.attach(card.id, { customer });
  for (const { id, created } of methods) {
    // Stripe tells only in which second; what was stored before in the same one is known by its setup.
    const isBefore = (created + 1) * 1000 <= at.getTime();
    if (id !== card?.id && (isBefore || others.has(id))) await stripe.paymentMethods.detach(id);
  }
}

const MOST = { limit: 1_000 };
