import { createRandom } from '#scripts/world/random.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { orderOf } from '#server/payments/registration-record.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { balance, type Changes, recordWith, refund } from './test-registrations.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The first registration is made at this time at the earliest; the last one a day before registration closes. */
const FIRST_AT = Date.parse('2025-09-15T08:00:00-07:00');
const LAST_AT = Date.parse(edition.facts.registration.closes) - DAY_MS;
const CHARGE_AT = Date.parse(edition.facts.balance.chargeAt);

const FIRST_NAMES =
  'Anna Béatrice Chloë Dörte Ewa Fatima Grace Hülya Ines Joyce Kateřina Łucja Mei Noémi'.split(' ');
const LAST_NAMES =
  'Almeida Ångström Brown Çelik Dvořák Fischer García Huber Jones Kowalska Müller Ngọc O’Neill'.split(' ');
const ZONES = ['America/Los_Angeles', 'America/New_York', 'Europe/Berlin', ''];
const CARD = { brand: 'visa', last4: '4242' };

/**
 * Registrations as the register holds them at `now`, with names, letters and marks as long as real ones. Most are paid as
 * planned; the others cover every other state. The same seed gives the same registrations. Stripe does not know them.
 */
export function manyRegistrations(count: number, now: Date, seed = 1): RegistrationRecord[] {
  const random = createRandom(seed);
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? '';
  const until = Math.min(LAST_AT, now.getTime());
  return Array.from({ length: count }, (_, index) => {
    const begunAt = new Date(Math.floor(FIRST_AT + random() * (until - FIRST_AT)));
    const { paidAt, ...registration } = recordWith({
      id: `pi_${seed}Many${String(index).padStart(18, '0')}`,
      begunAt,
      registrant: {
        ...{ firstName: pick(FIRST_NAMES), lastName: pick(LAST_NAMES), timeZone: pick(ZONES) },
        email: `person.${index}@example.org`,
        phoneNumber: `+1 (310) 55${String(index).padStart(5, '0')}`,
      },
      customerId: `cus_Many${String(index).padStart(10, '0')}`,
      agreement: { version: '2', digest: 'a'.repeat(64), agreedAt: begunAt },
      ...lifeOf(index, random(), new Date(begunAt.getTime() + 5 * MINUTE_MS), now),
    });
    return registration.deposit === 'paid' && paidAt ? { ...registration, paidAt } : registration;
  });
}

/** What happened to a registration. Its deposit, if it was paid, was paid at `paidAt`. */
function lifeOf(index: number, chance: number, paidAt: Date, now: Date): Changes {
  const sent = { 'registration-received': 'sent', 'office-notice': 'sent' } as const;
  if (chance < 0.08) return { deposit: chance < 0.03 ? 'closed' : 'unpaid', depositCents: 0, letters: sent };
  const dueMs = Math.max(CHARGE_AT, paidAt.getTime() + 7 * DAY_MS);
  const dueAt = new Date(dueMs);
  const isDue = now >= dueAt;
  const act = { at: new Date(Math.min(paidAt.getTime() + 3 * DAY_MS, now.getTime())), by: 'Anna' };
  const card = { id: `pm_${index}`, ...CARD, expMonth: 8, expYear: 2028, since: paidAt };
  const life: Changes = {
    ...{ paidAt, card, depositCard: CARD },
    letters: { ...sent, welcome: 'sent', 'office-paid': 'sent' },
    endedLetters: (['welcome', 'balance-notice', 'balance-reminder'] as const).map((kind) => {
      return { kind, version: 'b'.repeat(8), state: 'sent', at: paidAt };
    }),
    ...(now.getTime() >= dueMs - 11 * DAY_MS && {
      noticed: { at: new Date(dueMs - 11 * DAY_MS), dueAt, cents: 72_625, to: '00000000' },
    }),
  };
  const payment = { id: `pi_balance${index}`, tries: 1 };
  const byCard = balance({ ...payment, status: 'paid', paidAt: isDue ? dueAt : act.at, paidWith: CARD });
  const paidBalance = isDue ? { balance: byCard } : {};
  if (chance < 0.1) return { ...life, decisions: { cancel: { ...act, writtenAt: act.at } } };
  if (chance < 0.14) {
    const cancel = { ...act, writtenAt: act.at };
    const status = chance < 0.11 ? 'failed' : chance < 0.115 ? 'pending' : 'succeeded';
    const given = { cents: 70_000, at: act.at, order: orderOf('cancel', act) };
    const cancelled = { at: act.at, cents: 70_000, checkCents: 0, refund: status } as const;
    const refunds = [refund({ id: `re_${index}`, status, ...given })];
    return { ...life, balance: byCard, decisions: { cancel }, cancelled, refunds };
  }
  if (chance < 0.16) {
    const cancelled = { at: act.at, cents: 0, checkCents: 0 };
    return { ...life, decisions: { cancel: { ...act, writtenAt: act.at } }, cancelled };
  }
  if (chance < 0.18) return { ...life, decisions: { check: { ...act, cents: 70_000 } } };
  if (chance < 0.2) return { ...life, decisions: { check: { ...act, cents: 70_000, receivedAt: act.at } } };
  if (chance < 0.22)
    return { ...life, decisions: { postponed: { ...act, until: new Date(dueMs + 14 * DAY_MS) } } };
  if (chance < 0.25) return { ...life, decisions: { waived: { ...act, cents: 70_000 } } };
  if (chance < 0.26) return { ...life, ...paidBalance, disputed: true };
  if (chance < 0.28) {
    const exception = { ...act, cents: 10_000, reason: 'illness in her family' };
    const made = { id: `re_${index}`, of: 'deposit', cents: 10_000, order: orderOf('refund', act) } as const;
    return { ...life, ...paidBalance, decisions: { refund: exception }, refunds: [refund(made)] };
  }
  if (chance < 0.33 && isDue) {
    const code = chance < 0.3 ? 'insufficient_funds' : 'lost_card';
    const next = chance < 0.3 ? { next: new Date(now.getTime() + DAY_MS) } : { final: true as const };
    const decline = { try: 1, at: dueAt, code, card: card.id, step: 1, ...next };
    return { ...life, balance: balance({ ...payment, decline }) };
  }
  return { ...life, ...paidBalance };
}
