import fc from 'fast-check';
import { type Mail, type OwedLetter, owedLetter } from '#server/letters/letter-kind.ts';
import { lettersDue } from '#server/letters/table.ts';
import {
  BALANCE,
  type BalancePayment,
  type Decisions,
  type Decline,
  type EndedLetter,
  type Noticed,
  type Received,
  type ReceivedOnRecord,
  type RefundOnRecord,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { withLedger } from './ledger-of-record.ts';
import type { Recorded } from './recorded-registrations.ts';

/** When the registrations of tests were begun and paid. */
export const BEGUN = new Date('2025-12-01T10:00:00-08:00');

/** A card on file that stays valid for longer than the registration lasts. */
export const card = { id: 'pm_1', brand: 'visa', last4: '4242', expMonth: 8, expYear: 2031, since: BEGUN };

/** A payment of the balance, with the tries of her card for it. */
export interface Tried extends BalancePayment {
  tries: number;
  decline?: Decline;
}

/** What a registration has on record of payments of its balance. */
function triedWith(tried: readonly Tried[]): Pick<RegistrationRecord, 'balances' | 'attempts'> {
  return {
    balances: tried.map(({ tries: _, decline: __, ...payment }) => payment),
    attempts: tried.flatMap(attemptsOf),
  };
}

/** Of which only the last ones leave traces. */
function attemptsOf({ id: payment, number: of, tries, decline }: Tried): RegistrationRecord['attempts'] {
  if (tries === 0) return [];
  const row = { number: of, payment, card: '', begunAt: new Date(0), endedAt: null };
  const unknown = { code: null, step: 0, nextAt: null, final: 0 } as const;
  const last = { ...row, ...unknown, id: `attempt ${tries} for ${payment}`, try: tries };
  if (!decline) return [last];
  const { at, next, final, ...told } = decline;
  const declined = {
    ...row,
    ...told,
    id: `attempt ${decline.try} for ${payment}`,
    endedAt: at,
    nextAt: next ?? null,
    final: final ? (1 as const) : (0 as const),
  };
  return decline.try < tries ? [declined, last] : [declined];
}

/** How a test's registration differs from the usual one. */
export type Changes = Partial<Omit<Recorded, 'decisions' | 'balances' | 'attempts' | 'notices'>> & {
  decisions?: Partial<Decisions>;
  balances?: readonly Tried[];
  /** Of the whole balance, unless a number is named. */
  notices?: readonly (Omit<Noticed, 'number'> & Partial<Noticed>)[];
  /** The welcome and the notice that she has paid were not sent yet. */
  isUnwelcomed?: true;
};

/** A registration with its deposit paid, who was welcomed. */
export function recordWith({
  decisions,
  id = 'reg_1',
  isUnwelcomed,
  balances = [],
  notices = [],
  ...changes
}: Changes = {}): RegistrationRecord {
  const { depositCents } = (changes.edition ?? edition).facts.prices;
  const record: Recorded = {
    id,
    version: 0,
    edition,
    begunAt: BEGUN,
    registrant: {
      firstName: 'Wilma',
      lastName: '',
      email: 'wilma@example.org',
      phoneNumber: '',
      timeZone: '',
    },
    depositPayment: { id: id.replace(/^reg/, 'pi'), status: 'paid', cents: depositCents, paidAt: BEGUN },
    source: 'page',
    letterWaits: false,
    deposit: 'paid',
    depositCents,
    paidAt: BEGUN,
    refunds: [],
    disputes: [],
    disputed: false,
    corrections: {},
    notes: [],
    answers: [],
    decisions: { withdrawn: [], ...decisions },
    received: NOTHING_RECEIVED,
    endedLetters: [],
    linksEpoch: 0,
    ...triedWith(balances),
    notices: notices.map((one) => ({ number: BALANCE, ...one })),
    ...changes,
  };
  const whole = withLedger(record);
  const welcomed = isUnwelcomed ? [] : welcomeOf(whole);
  return { ...whole, endedLetters: [...welcomed, ...record.endedLetters] };
}

/** The kinds of the letters that are due, besides those that go out as soon as she has paid. */
export function laterKindsDue(record: RegistrationRecord, now: Date): string[] {
  const kinds = lettersDue(record, now).map(({ kind }) => kind);
  return kinds.filter((kind) => kind !== 'welcome' && kind !== 'office-paid');
}

/** The letters that were sent as soon as a deposit was paid. */
function welcomeOf({ id, registrant, paidAt: at = BEGUN }: RegistrationRecord): EndedLetter[] {
  const letters = [owedLetter('welcome', id, registrant.email), owedLetter('office-paid', id, '')];
  return letters.map((letter) => endedLetter(letter, at));
}

/** That a letter was sent. */
export const endedLetter = (
  { kind, version, notice }: Pick<OwedLetter, 'kind' | 'version'> & { notice?: Mail['notice'] },
  at: Date,
  state: EndedLetter['state'] = 'sent',
): EndedLetter => ({ kind, version, state, at, notice });

const NOTHING_RECEIVED: ReceivedOnRecord = { counting: [], takenBack: [] };

export const checkOf = (cents: number, on: Date, changes: Partial<Received> = {}): Received => ({
  way: 'check',
  cents,
  on,
  at: on,
  by: 'Anna',
  id: `check of ${on.toISOString()}`,
  name: 'payment-1',
  ...changes,
});

/** What a registration has of it. */
export const withCheck = (cents: number, on: Date) => ({
  received: { ...NOTHING_RECEIVED, counting: [checkOf(cents, on)] },
});

export const balance = (changes: Partial<Tried> = {}): Tried => ({
  id: 'pi_2',
  number: BALANCE,
  status: 'open',
  tries: 0,
  cents: 72_625,
  beforeFeeCents: 70_000,
  ...changes,
});

export const refund = (changes: Partial<RefundOnRecord> = {}): RefundOnRecord => ({
  id: 're_1',
  of: 'balance',
  cents: 70_000,
  status: 'succeeded',
  at: BEGUN,
  payment: changes.of === 'deposit' ? 'pi_1' : 'pi_2',
  ...changes,
});

/** What the contact step of one visitor sends. */
export const contactStep = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  package: 'january_2026_retreat',
};

/** Before, during and after the edition's moments. */
export const anyMoment = fc.date({
  min: new Date('2025-11-25'),
  max: new Date('2026-02-10'),
  noInvalidDate: true,
});
const anyAct = { at: anyMoment, by: fc.constant('Anna') };
const anyCents = fc.integer({ min: 0, max: 70_000 });

const anyDecisions: fc.Arbitrary<Decisions> = fc
  .record(
    {
      cancel: fc.record({ ...anyAct, writtenAt: anyMoment }),
      waived: fc.record({ ...anyAct, cents: anyCents }),
      check: fc.record({ ...anyAct, cents: anyCents }),
      postponed: fc.record({ ...anyAct, until: anyMoment }),
      charge: fc.record(anyAct),
      refund: fc.record({ ...anyAct, cents: anyCents, reason: fc.constant('illness') }),
      checkSent: fc.record({ ...anyAct, cents: anyCents, sentAt: anyMoment }),
    },
    { requiredKeys: [] },
  )
  .map((decisions) => ({ ...decisions, withdrawn: [] }));

const anyPayment = fc.record({ ...anyAct, cents: fc.integer({ min: 1, max: 90_000 }), on: anyMoment });
/** Mostly nothing. */
const anyReceived: fc.Arbitrary<ReceivedOnRecord> = fc
  .oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(anyPayment, { maxLength: 3 }))
  .map((some) => ({
    counting: some.map(({ on, ...one }, index) =>
      checkOf(one.cents, on, { ...one, id: String(index), name: `payment-${index + 1}` }),
    ),
    takenBack: [],
  }));

const anyDecline: fc.Arbitrary<Decline> = fc.record(
  {
    try: fc.integer({ min: 1, max: 4 }),
    at: anyMoment,
    code: fc.constantFrom('insufficient_funds', 'lost_card'),
    card: fc.constantFrom('pm_1', 'pm_2'),
    step: fc.integer({ min: 1, max: 4 }),
    next: anyMoment,
    final: fc.constant(true),
  },
  { requiredKeys: ['try', 'at', 'code', 'card', 'step'] },
);

const anyBalance: fc.Arbitrary<Tried> = fc
  .record(
    {
      status: fc.constantFrom('open', 'cancelled', 'paid'),
      tries: fc.nat({ max: 4 }),
      decline: anyDecline,
      paidAt: anyMoment,
    },
    { requiredKeys: ['status', 'tries', 'paidAt'] },
  )
  .map(({ paidAt, ...rest }) => balance({ ...rest, ...(rest.status === 'paid' && { paidAt }) }));

const oneAtMost = <Value>(any: fc.Arbitrary<Value>) => fc.array(any, { maxLength: 1 });

/** A registration with any combination of marks, including combinations that never occur; only what was cancelled is carried out. */
export const anyRecord: fc.Arbitrary<RegistrationRecord> = fc
  .record(
    {
      begunAt: anyMoment,
      deposit: fc.constantFrom('unpaid', 'paid', 'closed'),
      paidAt: anyMoment,
      notices: oneAtMost(
        fc.record({ at: anyMoment, dueAt: anyMoment, cents: anyCents, to: fc.constant('wilma') }),
      ),
      balances: oneAtMost(anyBalance),
      cancelled: fc.record(
        {
          at: anyMoment,
          cents: anyCents,
          checkCents: anyCents,
          refund: fc.constantFrom('pending', 'succeeded', 'failed'),
        },
        { requiredKeys: ['at', 'cents', 'checkCents'] },
      ),
      disputed: fc.boolean(),
      decisions: anyDecisions,
      received: anyReceived,
    },
    { requiredKeys: ['begunAt', 'deposit', 'disputed', 'decisions', 'received'] },
  )
  .map(({ cancelled, ...any }) => recordWith({ ...any, ...(any.decisions.cancel && { cancelled }) }));

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_AT = Date.parse('2025-09-15T08:00:00-07:00');
const CHARGE_AT = Date.parse(edition.facts.balance.chargeAt);
const FIRST_NAMES = 'Anna Béatrice Chloë Dörte Ewa Fatima Kateřina Łucja Mei Noémi'.split(' ');
const LAST_NAMES = 'Almeida Ångström Brown Çelik Dvořák García Huber Kowalska Müller Ngọc O’Neill'.split(' ');
const CARD = { brand: 'visa', last4: '4242' };

/** Registrations as the register holds them at `now`, most of them paid as planned. Stripe does not know them. */
export function manyRegistrations(count: number, now: Date): RegistrationRecord[] {
  const spread = now.getTime() - FIRST_AT;
  return Array.from({ length: count }, (_, index) => {
    const begunAt = new Date(FIRST_AT + Math.floor((((index * 61) % 1_009) / 1_009) * spread));
    return recordWith({
      id: `reg_Many${String(index).padStart(18, '0')}`,
      begunAt,
      registrant: {
        firstName: FIRST_NAMES[index % FIRST_NAMES.length] ?? '',
        lastName: LAST_NAMES[index % LAST_NAMES.length] ?? '',
        timeZone: 'Europe/Berlin',
        email: `person.${index}@example.org`,
        phoneNumber: `+1 (310) 55${String(index).padStart(5, '0')}`,
      },
      customerId: `cus_Many${String(index).padStart(10, '0')}`,
      agreement: { version: '2', digest: 'a'.repeat(64), agreedAt: begunAt },
      ...lifeOf(index, begunAt, now),
    });
  });
}

/** What happened to a registration, whose deposit was paid at once. */
function lifeOf(index: number, paidAt: Date, now: Date): Changes {
  const dueAt = new Date(Math.max(CHARGE_AT, paidAt.getTime() + 7 * DAY_MS));
  const noticedAt = new Date(dueAt.getTime() - 11 * DAY_MS);
  const isDue = now >= dueAt;
  const act = { at: paidAt, by: 'Anna' };
  const payment = { id: `pi_balance${index}`, tries: 1 };
  const paid = balance({ ...payment, status: 'paid', paidAt: isDue ? dueAt : paidAt, paidWith: CARD });
  const life: Changes = {
    paidAt,
    card: { id: `pm_${index}`, ...CARD, expMonth: 8, expYear: 2028, since: paidAt },
    depositCard: CARD,
    ...(now >= noticedAt && { notices: [{ at: noticedAt, dueAt, cents: 72_625, to: '00000000' }] }),
  };
  switch (index % 30) {
    case 1:
      return { deposit: 'unpaid', depositCents: 0 };
    case 2: {
      const cancel = { ...act, at: new Date(+paidAt + 60_000), writtenAt: paidAt };
      const orderedBy = actName('cancel', cancel);
      const back = refund({ id: `re_${index}`, payment: paid.id, at: cancel.at, orderedBy });
      const cancelled = { at: cancel.at, cents: 70_000, checkCents: 0, refund: back.status };
      return { ...life, balances: [{ ...paid, paidAt }], decisions: { cancel }, cancelled, refunds: [back] };
    }
    case 3:
      return { ...life, decisions: { check: act } };
    case 4:
      return { ...life, disputed: true };
    case 5: {
      const decline = {
        try: 1,
        at: dueAt,
        code: 'lost_card',
        card: `pm_${index}`,
        step: 1,
        final: true,
      } as const;
      return { ...life, ...(isDue && { balances: [balance({ ...payment, decline })] }) };
    }
    default:
      return { ...life, ...(isDue && { balances: [paid] }) };
  }
}
