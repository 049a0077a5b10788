import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { chargeMomentOf } from '#server/record/registration-state.ts';
import { type Charges, DAY_MS, DUE, startCharges } from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

/** How often one balance is tried in all, with whatever cards. */
const MOST_TRIES = 12;

const ENDS = new Date(edition.facts.endsAt);

/** Something that happens to a registration. */
type Happening =
  | { what: 'charge'; workers: 1 | 2 }
  /** Stripe fails at the n-th request of a charge. */
  | { what: 'fault'; step: number; fault: Fault }
  | { what: 'wait'; hours: number }
  | { what: 'tell' | 'give-card' | 'ask' | 'cancel' | 'check' | 'withdraw' | 'fit' }
  | { what: 'waive'; cents: number }
  | { what: 'postpone'; days: number }
  | { what: 'decline'; code: string };

const simple = <What extends Happening['what']>(what: What) => fc.constant({ what });
const anyFault = fc.constantFrom<Fault>(
  { kind: 'reset', carryOut: true },
  { kind: 'reset', carryOut: false },
  { kind: 'answer-500', carryOut: true },
  { kind: 'answer-500', carryOut: false },
  { kind: 'rate-limit' },
);

const often = <Some>(weight: number, arbitrary: fc.Arbitrary<Some>) => ({ weight, arbitrary });
const charge = fc.record({ what: fc.constant('charge'), workers: fc.constantFrom(1, 2) });
const step = fc.integer({ min: 1, max: 8 });
const hours = fc.constantFrom(1 / 4, 1, 25, 24 * 3, 24 * 8, 24 * 40);
const code = fc.constantFrom('insufficient_funds', 'lost_card');

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  often(5, charge),
  often(4, fc.record({ what: fc.constant('fault'), step, fault: anyFault })),
  often(4, fc.record({ what: fc.constant('wait'), hours })),
  often(3, simple('tell')),
  often(3, fc.record({ what: fc.constant('decline'), code })),
  fc.record({ what: fc.constant('waive'), cents: fc.constantFrom(1, 20_000, 69_900, 70_000) }),
  fc.record({ what: fc.constant('postpone'), days: fc.integer({ min: 4, max: 30 }) }),
  simple('give-card'),
  simple('ask'),
  simple('cancel'),
  simple('check'),
  simple('withdraw'),
  simple('fit'),
);

/** Makes something happen, unless it is impossible in the state of the registration. */
async function happen(
  happening: Happening,
  id: string,
  charges: Charges,
  failAt: (step: number, fault: Fault) => void,
): Promise<void> {
  const { payments, connect, now, find, moveTo, tell, giveCard, sandbox } = charges;
  const act = { at: now(), by: 'Anna' };
  switch (happening.what) {
    case 'charge': {
      const workers = [payments, ...(happening.workers === 2 ? [connect()] : [])];
      await Promise.all(workers.map((worker) => worker.chargeBalance(id, now())));
      return;
    }
    case 'fault':
      failAt(happening.step, happening.fault);
      await payments.chargeBalance(id, now()).catch(() => {});
      failAt(Number.POSITIVE_INFINITY, happening.fault);
      return;
    case 'wait':
      return moveTo(new Date(now().getTime() + happening.hours * (DAY_MS / 24)));
    case 'tell':
      return tell(id, now());
    case 'give-card':
      await giveCard(id);
      return;
    case 'decline':
      return sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', happening.code);
    case 'ask':
      return payments.decide(await find(id), 'charge', act);
    case 'cancel':
      return payments.decide(await find(id), 'cancel', { ...act, writtenAt: now() });
    case 'check':
      return payments.recordReceived(await find(id), { ...act, way: 'check', cents: 70_000, on: now() });
    case 'withdraw': {
      const record = await find(id);
      for (const kind of ['waived', 'check', 'postponed'] as const)
        if (record.decisions[kind]) await payments.decide(await find(id), kind, { ...act, withdrawn: true });
      return;
    }
    case 'waive':
      return payments.decide(await find(id), 'waived', { ...act, cents: happening.cents });
    case 'postpone': {
      const until = new Date(now().getTime() + happening.days * DAY_MS);
      return payments.decide(await find(id), 'postponed', { ...act, until });
    }
    case 'fit':
      await payments.fitBalance(id);
  }
}

/** Fails unless the registration, as it was before the charge, could be charged. */
function assertChargeable(before: RegistrationRecord, now: Date, cents: number): void {
  const { decisions, noticed, agreement } = before;
  const dueAt = chargeMomentOf(before);
  assert.equal(cents, balanceOfRecord(before).byCardCents, 'a wrong sum');
  assert.ok(agreement, 'without consent');
  assert.ok(!decisions.cancel && !decisions.check, 'after she cancelled, or paid by check');
  assert.ok(now >= dueAt && now < ENDS, `at ${now.toISOString()}, due ${dueAt.toISOString()}`);
  assert.ok(noticed, 'without a notice');
  assert.equal(noticed.dueAt.getTime(), dueAt.getTime());
  assert.ok(noticed.cents >= cents, 'notified of a smaller sum');
  assert.ok(noticed.at.getTime() <= dueAt.getTime() - 3 * DAY_MS, 'notified too late');
  assert.equal(noticed.to, addressDigest(before.registrant.email));
  for (const { at } of decisions.withdrawn)
    assert.ok(noticed.at > at, 'notified before something was withdrawn');
}

describe('whatever happens to a registration', () => {
  test('she is charged at most once, the right sum, with notice and consent, and never after cancelling', async (t) => {
    let [countdown, fault]: [number, Fault | undefined] = [Number.POSITIVE_INFINITY, undefined];
    let paid = 0;
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyHappening, { minLength: 6, maxLength: 16 }), async (happenings) => {
        const charges = await startCharges(t, {
          intercept() {
            countdown -= 1;
            return countdown === 0 ? fault : undefined;
          },
        });
        const { register, tell, moveTo, find, charged, now, sandbox } = charges;
        number += 1;
        const id = await register({ email: `wilma-${number}@example.org` });
        await tell(id);
        moveTo(new Date(DUE.getTime() - DAY_MS / 24));
        for (const happening of [{ what: 'wait', hours: 2 } as const, ...happenings]) {
          const before = await find(id);
          const chargedBefore = await charged(id);
          const at = now();
          await happen(happening, id, charges, (step, one) => {
            [countdown, fault] = [step, one];
          });
          const made = (await charged(id)).slice(0, -chargedBefore.length || undefined);
          const successes = made.filter((cents) => cents > 0);
          if (successes.length > 0) {
            assert.equal(chargedBefore.filter((cents) => cents > 0).length, 0, 'charged twice');
            assert.deepEqual(successes.length, 1);
            assertChargeable(before, at, successes[0] ?? 0);
            paid += 1;
          }
          const { balance } = await find(id);
          assert.ok((balance?.tries ?? 0) <= MOST_TRIES);
        }
        await sandbox.close();
      }),
      { numRuns: 40 },
    );
    t.diagnostic(`${number} registrations, ${paid} of them paid`);
    assert.ok(paid > 3, `only ${paid} of ${number} paid`);
  });
});
