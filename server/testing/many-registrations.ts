import { between, createRandom } from '#scripts/world/random.ts';
import { orderOf } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { balance, type Changes, recordWith, refund } from './test-registrations.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first registration is made at this time at the earliest; the last one a day before registration closes. */
const FIRST_AT = Date.parse('2025-09-15T08:00:00-07:00');
const LAST_AT = Date.parse(edition.facts.registration.closes) - DAY_MS;
const CHARGE_AT = Date.parse(edition.facts.balance.chargeAt);

const FIRST_NAMES =
  'Anna Béatrice Chloë Dörte Ewa Fatima Grace Hülya Ines Joyce Kateřina Łucja Mei Noémi'.split(' ');
const LAST_NAMES =
  'Almeida Ångström Brown Çelik Dvořák Fischer García Huber Jones Kowalska Müller Ngọc O’Neill'.split(' ');
const CARD = { brand: 'visa', last4: '4242' };

/**
 * Registrations as the register holds them at `now`, with names and marks as long as real ones. Most are paid as planned.
 * Stripe does not know them.
 */
export function manyRegistrations(count: number, now: Date): RegistrationRecord[] {
  const random = createRandom(1);
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? '';
  const until = Math.min(LAST_AT, now.getTime());
  return Array.from({ length: count }, (_, index) => {
    const begunAt = new Date(Math.floor(between(random, FIRST_AT, until)));
    return recordWith({
      id: `pi_Many${String(index).padStart(18, '0')}`,
      begunAt,
      registrant: {
        firstName: pick(FIRST_NAMES),
        lastName: pick(LAST_NAMES),
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
  const dueMs = Math.max(CHARGE_AT, paidAt.getTime() + 7 * DAY_MS);
  const dueAt = new Date(dueMs);
  const noticedAt = new Date(dueMs - 11 * DAY_MS);
  const act = { at: paidAt, by: 'Anna' };
  const cancel = { ...act, writtenAt: paidAt };
  const card = { id: `pm_${index}`, ...CARD, expMonth: 8, expYear: 2028, since: paidAt };
  const payment = { id: `pi_balance${index}`, tries: 1 };
  const paid = balance({ ...payment, status: 'paid', paidAt: now < dueAt ? paidAt : dueAt, paidWith: CARD });
  const life: Changes = {
    paidAt,
    card,
    depositCard: CARD,
    ...(now >= noticedAt && { noticed: { at: noticedAt, dueAt, cents: 72_625, to: '00000000' } }),
  };
  switch (index % 30) {
    case 1:
      return { deposit: 'unpaid', depositCents: 0 };
    case 2: {
      const back = refund({ id: `re_${index}`, at: paidAt, order: orderOf('cancel', cancel) });
      const cancelled = { at: paidAt, cents: 70_000, checkCents: 0, refund: back.status };
      return { ...life, balance: paid, decisions: { cancel }, cancelled, refunds: [back] };
    }
    case 3:
      return { ...life, decisions: { check: { ...act, cents: 70_000 } } };
    case 4:
      return { ...life, decisions: { postponed: { ...act, until: new Date(dueMs + 14 * DAY_MS) } } };
    case 5:
      return { ...life, decisions: { waived: { ...act, cents: 70_000 } } };
    case 6:
      return { ...life, disputed: true };
    case 7: {
      const decline = { try: 1, at: dueAt, code: 'lost_card', card: card.id, step: 1, final: true } as const;
      return { ...life, ...(now >= dueAt && { balance: balance({ ...payment, decline }) }) };
    }
    default:
      return { ...life, ...(now >= dueAt && { balance: paid }) };
  }
}
