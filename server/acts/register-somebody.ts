import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { RecordHeld } from '#server/payments/create-deposit.ts';
import { canDecide } from '#server/payments/decide.ts';
import { HOW_AGREED, type HowAgreed } from '#server/record/acts.ts';
import type { Decision } from '#server/record/decisions.ts';
import { hasPlace } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { heldEnd, stateOf } from '#server/record/registration-state.ts';
import { freeOf } from '#server/register/places.ts';
import type { Edition } from '#shared/content/edition.ts';
import { registrationOverAt } from '#shared/content/registration-window.ts';
import { REDUCTIONS } from '#shared/content/tuition.ts';
import { withUtcOffset } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { type Contact, contactSchema } from '#shared/registration.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import {
  type Asked,
  askWorker,
  carryOut,
  carryOutFor,
  recordedFor,
  type Said,
  type Told,
} from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal, wrongUsage } from './refusal.ts';

/** The hour of the last day at which the office looks whether something came. */
const LAST_HOUR = '17:00';
const MINUTE_MS = 60_000;

/** How she pays the deposit, until when a place is held, and how she agreed to the terms, as it is typed. */
export interface HoldGiven {
  way: Decision<'held'>['way'];
  /** Days in the retreat's time zone. */
  until: string;
  agreed: HowAgreed;
  agreedOn: string;
}

/** Who calls or writes, and what was arranged with her. */
export interface RegisterGiven extends HoldGiven {
  contact: Contact;
  /** US cents of the tuition that are not asked of her; 0 for none. */
  scholarshipCents: number;
}

/** Registers somebody who calls or writes, and holds a place for her until a day. */
export async function registerSomebody(
  context: ActContext,
  edition: Edition,
  given: RegisterGiven,
  asked: Asked,
): Promise<Told> {
  const now = await context.now();
  const { facts } = edition;
  const why = whyNotRegistered(edition, now);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const { contact, scholarshipCents } = given;
  const contactRead = v.safeParse(contactSchema, contact);
  if (!contactRead.success) throw wrongUsage(contactRead.issues[0].message);
  const { prices } = facts;
  const most = prices.depositBeforeFeeCents + prices.balanceBeforeFeeCents;
  if (scholarshipCents > most)
    throw new Refusal('wrongState', `The tuition is ${formatCents(most)}: no more can be given.`);
  const act = { at: now, by: asked.by };
  const holding = readHold(edition, given, act);
  const { places } = await context.openAdmission();
  const free = facts.places === undefined ? undefined : freeOf(await places.count(facts));
  // A second press may find the place that the first one took.
  if (free === 0 && asked['dry-run']) throw new Refusal('wrongState', NO_PLACE);
  const register = await context.openRecord();
  const same = await register.findByAddress(contact.email, { alsoUnpaid: true });
  const others = same.filter((one) => one.edition.facts.id === facts.id && isThere(one, now));
  const waived =
    scholarshipCents > 0 ? { ...act, cents: scholarshipCents, as: 'scholarship' as const } : undefined;
  const owedCents = Math.max(
    0,
    holding.held.cents - Math.max(0, scholarshipCents - prices.balanceBeforeFeeCents),
  );
  const name = `${contact.firstName} ${contact.lastName}`;
  const says: Said[] = [
    `${name} is registered for ${facts.title}, ${contact.email}, ${contact.phoneNumber}.`,
    ...(owedCents > 0
      ? [...holdWords(holding.held, edition), `A letter tells her so, and leads to her page.`]
      : ['She has nothing to pay for the deposit: her place is hers at once, and the welcome goes out.']),
    waived
      ? `${REDUCTIONS.scholarship}: ${formatCents(scholarshipCents)} of the tuition is not asked of her.`
      : '',
    agreedWords(given, edition),
    free === undefined ? '' : `Places that are free: ${free}.`,
    ...others.map(
      (one) =>
        `Please look: ${one.registrant.firstName} ${one.registrant.lastName} is registered at this address already (${stateOf(one, now)}), ${one.id}.`,
    ),
  ];
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const restsOn = [facts.id, contact, given, day, others.map(({ id }) => id)];
  let id: string | undefined;
  const told = await carryOut(asked, { says, restsOn }, async () => {
    // A second press carries the same digest, and finds the same registration.
    const key = `office-${asked.seen ?? randomUUID()}`;
    const hold = async (registration: string, record: RecordHeld): Promise<void> => {
      // Should Stripe fail now, the place is free again soon.
      const held = { at: now, until: new Date(now.getTime() + facts.holdMinutes * MINUTE_MS) };
      const outcome = await places.holdFor(facts, (transaction) => record(transaction, held), registration);
      if (outcome === 'full') throw new Refusal('wrongState', NO_PLACE);
    };
    const made = { key, hold, ...holding, ...(waived && { waived }) };
    id = await register.registerByOffice(edition, contactRead.output, made);
    const notAsked = 'The site could not be asked to look: her letter goes out later.';
    return [`Her registration is ${id}.`, recordedFor(asked.by), ...(await askWorker(context, notAsked))];
  });
  return id === undefined ? told : { ...told, leadsTo: id };
}

/** Whether a registration has a place, or has one held. */
function isThere(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) || stateOf(record, now) === 'held';
}

/** Why nobody can be registered for an edition now; undefined if somebody can. */
export function whyNotRegistered({ facts }: Edition, now: Date): string | undefined {
  return now < registrationOverAt(facts) ? undefined : 'Registration for this retreat is over.';
}

/** Holds a place for somebody who has begun to register and pays another way, or holds it until another day. */
export async function holdPlace(
  context: ActContext,
  id: string,
  given: HoldGiven,
  asked: Asked,
): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const { edition } = record;
  const now = await context.now();
  const why = whyNotHeld(record, now);
  if (why !== undefined) throw new Refusal('wrongState', why);
  if (given.way === 'card' && !record.isDepositOpen)
    throw new Refusal(
      'wrongState',
      'Her payment was closed: no card can pay it. Choose a check or a transfer.',
    );
  const holding = readHold(edition, given, { at: now, by: asked.by });
  const { places } = await context.openAdmission();
  const says: Said[] = [
    ...holdWords(holding.held, edition),
    'A letter tells her so, and leads to her page.',
    record.agreement ? '' : agreedWords(given, edition),
  ];
  return carryOutFor(context, record, asked, { says, settles: given }, async (register) => {
    await register.holdPlaceFor(record, holding, async (work) => {
      const outcome = await places.holdFor(edition.facts, work, record.registration);
      if (outcome === 'full') throw new Refusal('wrongState', NO_PLACE);
    });
    return [];
  });
}

/** Why no place can be held for her now; undefined if one can. */
export function whyNotHeld(record: RegistrationRecord, now: Date): string | undefined {
  const over = whyNotRegistered(record.edition, now);
  if (over !== undefined) return over;
  return canDecide(record, 'held', now)
    ? undefined
    : 'A place is held for somebody who has not paid the deposit yet.';
}

/** Ends a registration that is not paid: a mistake, or she does not come. Her details are removed. */
export async function endRegistration(context: ActContext, id: string, asked: Asked): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const at = await context.now();
  const why = whyNotEnded(record, at);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const says = [
    'Her place is free, nothing can be paid any more, and her details are removed. She is not told.',
  ];
  return carryOutFor(context, record, asked, { says }, async (register) => {
    const isEnded = await register.endRegistration(record, { at, by: asked.by });
    if (!isEnded) throw new Refusal('wrongState', 'She has paid meanwhile: nothing was ended.');
    return [];
  });
}

/** Why her registration cannot be ended now; undefined if it can. */
export function whyNotEnded(record: RegistrationRecord, now: Date): string | undefined {
  if (record.received.counting.length > 0)
    return 'Something has come from her: send it back, and take it back here first.';
  if (canDecide(record, 'held', now)) return undefined;
  return 'Only a registration that is not paid is ended so: one that is paid is cancelled.';
}

const NO_PLACE = 'No place is free: raise the number of places of the edition, or wait until one is.';

function readHold(edition: Edition, given: HoldGiven, act: { at: Date; by: string }) {
  const { facts, timetable, terms } = edition;
  const { id: zone } = timetable.timeZone;
  const momentOf = (day: string, hour: string) => new Date(withUtcOffset(`${day}T${hour}`, zone));
  const until = momentOf(given.until, LAST_HOUR);
  const on = momentOf(given.agreedOn, '00:00');
  if (until <= act.at) throw new Refusal('wrongState', `${given.until} is past: name a later day.`);
  if (until > new Date(facts.registration.closes))
    throw new Refusal('wrongState', 'Registration is over by then: name an earlier day.');
  if (on > act.at) throw new Refusal('wrongState', 'She cannot have agreed in the future.');
  const { version, digest } = terms;
  return {
    held: { ...act, way: given.way, until, cents: facts.prices.depositBeforeFeeCents },
    agreement: { version, digest, agreedAt: act.at, spoken: { how: given.agreed, on, by: act.by } },
    terms: edition.agreed.find((one) => one.version === version && one.digest === digest) ?? facts,
  };
}

const WAYS: Readonly<Record<HoldGiven['way'], string>> = {
  card: 'by card on her page',
  check: 'by check',
  transfer: 'by transfer',
};

function holdWords(held: Decision<'held'>, edition: Edition): string[] {
  const end = heldEnd(held);
  return [
    `Her place is held until ${moment(held.until, { edition })}: she pays the deposit ${WAYS[held.way]}.`,
    `If it has not come, a letter tells her on ${moment(end, { edition })}, and the place is free.`,
  ];
}

function agreedWords({ agreed, agreedOn }: HoldGiven, { terms }: Edition): string {
  return `She agreed to version ${terms.version} of the policies ${HOW_AGREED[agreed]} on ${agreedOn}.`;
}
