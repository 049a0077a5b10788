import { LEAST_CHARGE_CENTS } from '#server/payments/open-balance.ts';
import { canReceive } from '#server/payments/receive.ts';
import { MOST_RECEIVED, type Received, TAKEN_BACK, type WhyTakenBack } from '#server/record/received.ts';
import {
  afterChange,
  balanceOfRecord,
  depositLeftOf,
  leftToPay,
  type RegistrationRecord,
  surplusOf,
} from '#server/record/registration-record.ts';
import { chargeMomentOf, heldEnd, owingStates, stateOf } from '#server/record/registration-state.ts';
import { freeOf } from '#server/register/places.ts';
import type { WayBesideCard } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, type Said, type Told } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { surplusWords } from './decide-registration.ts';
import { moment, receivedWords } from './plain-words.ts';
import { Refusal, wrongUsage } from './refusal.ts';
import { localMoment, requireSince } from './retreat-dates.ts';

/** What came, as it is typed. */
export interface Given {
  way: WayBesideCard;
  /** US cents. */
  cents: number;
  /** A day in the retreat's time zone, perhaps with a time. */
  on: string;
  /** The number of the check, or the reference of the transfer; '' without one. */
  number: string;
}

/** Records a check or a transfer that came. She gets a letter; what is more than was left to pay is to be sent back to her. */
export async function receive(
  context: ActContext,
  id: string,
  { way, cents, on: day, number }: Given,
  asked: Asked,
): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const at = await context.now();
  const why = whyNotReceived(record, at);
  if (why !== undefined) throw new Refusal('wrongState', why);
  if (cents === 0) throw wrongUsage('The amount must be more than $0');
  if (record.received.counting.length >= MOST_RECEIVED)
    throw new Refusal('wrongState', `No more than ${MOST_RECEIVED} payments can be recorded for one person.`);
  const on = localMoment(record, day);
  if (on > at) throw new Refusal('wrongState', 'It cannot have come in the future.');
  requireSince(record, day);
  const payment = { way, cents, on, ...(number !== '' && { number }) };
  const act = { at, by: asked.by };
  const after = withReceived(record, { ...payment, ...act, id: '', name: '' });
  requireChargeable(after);
  const says = [
    `Her ${receivedWords(payment)} came on ${moment(on, record)}.`,
    ...standingAfter(record, after, at),
    sameBefore(record, payment),
    await overbookedBy(context, record, after, at),
  ];
  return carryOutFor(context, record, asked, { says, settles: payment }, async (register) => {
    await register.recordReceived(record, { ...payment, ...act });
    return [];
  });
}

/** Records that a check or a transfer no longer counts, and why: one that bounced is told to her. */
export async function takeBack(
  context: ActContext,
  id: string,
  name: string,
  why: WhyTakenBack,
  asked: Asked,
): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const at = await context.now();
  const payment = record.received.counting.find((one) => one.name === name);
  if (!payment) throw new Refusal('wrongState', `She has no payment ${name} that could be taken back.`);
  const act = { at, by: asked.by };
  const after = withoutReceived(record, payment, why, act);
  requireChargeable(after);
  const says = [
    `Her ${receivedWords(payment)} no longer counts: ${TAKEN_BACK[why].toLowerCase()}.`,
    ...standingAfter(record, after, at),
    why === 'bounced' ? 'A letter tells her.' : '',
  ];
  return carryOutFor(context, record, asked, { says, settles: [name, why] }, async (register) => {
    await register.takeBackReceived(record, payment, { ...act, why });
    return [];
  });
}

/** Why nothing that comes can be recorded now; undefined if it can. */
export function whyNotReceived(record: RegistrationRecord, now: Date): string | undefined {
  if (canReceive(record, now)) return undefined;
  return 'A check or a transfer is recorded while she has a place, or one is held for her: hold one first, or send back what came.';
}

/** No card can pay what would be left. */
function requireChargeable(after: RegistrationRecord): void {
  if (after.deposit === 'unpaid') return;
  const { byCardCents, byCheckCents } = balanceOfRecord(after);
  if (byCardCents === 0 || byCardCents >= LEAST_CHARGE_CENTS) return;
  const says = `${formatCents(byCheckCents)} would be left, less than any card can pay: waive it first.`;
  throw new Refusal('wrongState', says);
}

/** What is left to pay, and how, or what she has paid beyond that. */
function standingAfter(record: RegistrationRecord, after: RegistrationRecord, now: Date): readonly Said[] {
  if (after.deposit === 'unpaid')
    return [
      `${formatCents(depositLeftOf(after))} of the deposit is left: until it has come, she has no place.`,
    ];
  const welcome =
    record.deposit === 'unpaid' ? ['The deposit is paid: she has a place, and the welcome goes out.'] : [];
  const owed = record.deposit === 'unpaid' || owingStates.includes(stateOf(record, now));
  const { beforeFeeCents: before } = leftToPay(record);
  const { beforeFeeCents: left, byCardCents } = leftToPay(after);
  const surplus = surplusOf(after);
  const lines = [
    { words: 'left of the balance, without a card fee', cents: before },
    { words: left > before ? 'taken back' : 'came of it', cents: left - before },
  ];
  const sum = { sum: lines };
  if (surplus > 0) return [...welcome, ...(owed ? [sum] : []), surplusWords(after)];
  if (!owingStates.includes(stateOf(after, now))) return [...welcome, sum, 'Nothing is left to pay.'];
  return [
    ...welcome,
    sum,
    `${formatCents(left)} is left by check, or ${formatCents(byCardCents)} by card, due ${moment(chargeMomentOf(after), after)}.`,
    `Charged automatically: ${chargeWords(after, now)}.`,
  ];
}

/** What comes for a place that is not held any more may find none free. */
async function overbookedBy(
  context: ActContext,
  { edition: { facts }, ...record }: RegistrationRecord,
  after: RegistrationRecord,
  now: Date,
): Promise<string> {
  const isLate = record.deposit === 'unpaid' && after.deposit === 'paid' && stateOf(after, now) !== 'held';
  const held = record.decisions.held && now < heldEnd(record.decisions.held);
  if (!isLate || held || facts.places === undefined) return '';
  const { places } = await context.openAdmission();
  return freeOf(await places.count(facts)) > 0
    ? ''
    : 'Her place is no longer held, and none is free: with her there is one more than planned.';
}

/** Two people of the office may record the same check. */
function sameBefore(record: RegistrationRecord, payment: Pick<Received, 'way' | 'cents' | 'number'>): string {
  const same = record.received.counting.find(
    ({ way, cents, number }) => way === payment.way && cents === payment.cents && number === payment.number,
  );
  if (!same) return '';
  return `Please look: a ${receivedWords(same)} was recorded before, by ${same.by} on ${moment(same.at, record)}. This is one more.`;
}

function withReceived(record: RegistrationRecord, one: Received): RegistrationRecord {
  const { counting, takenBack } = record.received;
  return afterChange({ ...record, received: { counting: [...counting, one], takenBack } });
}

function withoutReceived(
  record: RegistrationRecord,
  payment: Received,
  why: WhyTakenBack,
  act: { at: Date; by: string },
): RegistrationRecord {
  const { counting, takenBack } = record.received;
  return afterChange({
    ...record,
    received: {
      counting: counting.filter(({ id }) => id !== payment.id),
      takenBack: [...takenBack, { payment, why, ...act }],
    },
  });
}
