import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { addAct, HERSELF } from '#server/record/acts.ts';
import type { CardOnFile } from '#server/record/card-on-file.ts';
import {
  balanceOnceHandedOver,
  handOverStop,
  isHandedOverBy,
  pendingHandOver,
  termsOnceHandedOver,
} from '#server/record/hand-over.ts';
import { ACTS, NOTHING, readAllOnRecord } from '#server/record/on-record.ts';
import { readRecord } from '#server/record/read-record.ts';
import { handOverOfCard } from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { comparableName, type Registrant } from '#server/record/registrations.ts';
import { contactIn } from '#shared/registration.ts';
import { beginCardChange, readStored } from './change-card.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { cancelOpenBalances } from './open-balance.ts';
import { isOwnPageChanged } from './pay-balance.ts';
import { writeHolder } from './personal-data.ts';
import { writeConsent } from './record-consent.ts';

const BEING_CHARGED =
  'The balance of this place is being paid at this very moment. Please wait a few minutes, then load this page again';
const HAS_PLACE =
  'You have a place at this retreat already, under the same name and address, so nothing was done. Please ask the retreat office';

/** With what somebody accepts a place, as her page showed it. */
export interface Acceptance {
  /** When it was decided to hand the place over to her. */
  decidedAt: Date;
  /** The text that she agreed to. */
  version: string;
  digest: string;
  /** What is left to pay, in US cents. */
  cents: number;
  timeZone: string;
  /** What has stored her card; absent where none is asked for. */
  setupIntent?: string | undefined;
}

/**
 * Begins to store the card of somebody to whom a place is to be handed over; it is charged for nothing before she has
 * accepted the place.
 * @returns the client secret that her browser stores it with
 * @throws {AppError} when the place cannot be had any more, or after too many declined cards in a day
 */
export async function beginTakersCard(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<string> {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt) throw handOverGone();
  return beginCardChange(records, record, now, pending.at);
}

/**
 * Hands a place over to somebody who accepts it, in one transaction: names, address, zone, consent, card and links are hers
 * from then on. What the place still costs stays as it was agreed. The open payment of the balance is then cancelled, as
 * who had the place before may have it open in a browser. A second press changes nothing.
 * @throws {AppError} when the place cannot be had any more, something she was shown has changed, or her card is not stored
 */
export async function acceptHandOver(
  records: Records,
  depositId: string,
  accepted: Acceptance,
  now: Date,
): Promise<void> {
  const { stripe } = records;
  const record = await findRegistration(records, depositId);
  if (!record) throw handOverGone();
  if (isHandedOverBy(record, accepted.decidedAt)) return;
  const card = await readCardOf(records, record, accepted);
  try {
    await write(records, depositId, { ...accepted, card }, now);
  } catch (error) {
    // A card that is charged for nothing is not kept.
    if (card && error instanceof AppError && error.status === 409)
      await stripe.paymentMethods.detach(card.id);
    throw error;
  }
  await cancelOpenBalances(records, depositId);
}

async function write(
  { database }: Records,
  depositId: string,
  { card, ...accepted }: Acceptance & { card: CardOnFile | undefined },
  now: Date,
): Promise<void> {
  const [holder, ids] = [uuidV7(), { id: uuidV7(), due: uuidV7() }];
  await database.write(async (transaction) => {
    const onRecord = (await readAllOnRecord(transaction, [depositId])).get(depositId) ?? NOTHING;
    const { registration: row } = onRecord;
    const record = readRecord(onRecord);
    if (!row || !record) throw handOverGone();
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (isHandedOverBy(record, accepted.decidedAt)) return;
    const { pending, terms, isCharged } = requireAsShown(record, accepted, now);
    if (isCharged && !card) throw handOverChanged();
    await requireNoOtherPlace(transaction, row, pending);
    const registrant = { ...contactIn(pending), timeZone: accepted.timeZone };
    await writeHolder(transaction, row, {
      ...{ id: holder, at: now, of: pending.at, by: HERSELF, registrant, linksEpoch: row.linksEpoch + 1 },
    });
    const act = { subject: depositId, at: now, by: HERSELF };
    await writeConsent(transaction, { ...act, ...ids }, { ...terms, ...record.agreed });
    if (!card || accepted.setupIntent === undefined) return;
    // As of any card: when Stripe made it.
    const { since: at, ...facts } = card;
    await addAct(transaction, { ...act, id: accepted.setupIntent, kind: ACTS.card, at, facts });
  });
}

function requireAsShown(record: RegistrationRecord, accepted: Acceptance, now: Date) {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt || pending.at.getTime() !== accepted.decidedAt.getTime()) throw handOverGone();
  if (handOverStop(record, now) === 'being-charged') throw refused('hand_over_waits', BEING_CHARGED);
  const terms = termsOnceHandedOver(record);
  const { cents, isCharged } = balanceOnceHandedOver(record, now);
  const isSameText = terms?.version === accepted.version && terms.digest === accepted.digest;
  if (!isSameText || cents !== accepted.cents) throw handOverChanged();
  return { pending, terms, isCharged };
}

async function readCardOf(
  { stripe }: Records,
  record: RegistrationRecord,
  { setupIntent, decidedAt }: Acceptance,
): Promise<CardOnFile | undefined> {
  if (setupIntent === undefined) return undefined;
  const stored = await readStored(stripe, record, setupIntent).catch((error: unknown) => {
    throw isOwnPageChanged(error) ? handOverChanged() : error;
  });
  if (handOverOfCard(stored.setup) !== decidedAt.toISOString()) throw handOverChanged();
  return stored.card;
}

/** One person has one place: the second one would count as paid twice. */
async function requireNoOtherPlace(
  transaction: Transaction,
  { id, edition }: RegistrationRow,
  person: Pick<Registrant, 'firstName' | 'lastName' | 'email'>,
): Promise<void> {
  const other = await transaction
    .selectFrom('registrations')
    .select('id')
    .where('address', '=', person.email.toLowerCase())
    .where('person', '=', comparableName(person))
    .where('edition', '=', edition)
    .where('standing', '=', 'taken')
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) throw refused('hand_over_has_place', HAS_PLACE);
}

const refused = (code: string, message: string) => new AppError({ code, status: 409, message });

const handOverGone = () =>
  refused(
    'hand_over_gone',
    'This place is not being handed over to you any more, or is yours already. Nothing was done; please load this page again',
  );

const handOverChanged = () =>
  refused(
    'hand_over_changed',
    'Something had changed since you opened this page, so nothing was done. Please look at it once more',
  );
