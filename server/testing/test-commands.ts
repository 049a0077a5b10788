import assert from 'node:assert/strict';
import type { Refusal, Typed } from '#server/office/commands/command.ts';
import { toldText } from '#server/office/terminal/command.ts';
import { nextInstallment } from '#server/registration/registration.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import type { TestScope } from './clean-up.ts';
import { give } from './command-drivers.ts';
import { payWith } from './test-cards.ts';
import { daysAfter } from './test-charges.ts';
import { startMailing } from './test-mailing.ts';

/** Before the last day for refunds is over. */
export const IN_TIME = new Date('2025-12-20T20:00:00Z');

type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** What Anna of the office does about one registration, and what she reads of it. */
export function commandsFor(mailing: Mailing, id: string) {
  const { now, payments, stripe, sandbox, sync } = mailing;
  const run = async (kind: string, typed: Typed, isTried: boolean): Promise<string> =>
    toldText(await give(mailing, id, kind, typed, isTried));
  const find = () => mailing.find(id);
  return {
    ...mailing,
    id,
    find,
    state: () => mailing.state(id),
    charge: () => mailing.charge(id),
    /** Gives a command; returns what it says. */
    give: (kind: string, typed: Typed = {}) => run(kind, typed, false),
    tries: (kind: string, typed: Typed = {}) => run(kind, typed, true),
    async refuses(kind: string, typed: Typed, message: RegExp, reason: Refusal['reason'] = 'wrongState') {
      await assert.rejects(run(kind, typed, false), { message, reason });
    },
    check: (dollars: number, on: string, number = '') =>
      run('received', { way: 'check', dollars: String(dollars), on, number }, false),
    needs: async () => needsOf(await find(), now()).map(({ need }) => need),
    /** She pays the balance on December 10, and ten days pass. */
    async settle(card = 'pm_card_visa'): Promise<void> {
      mailing.moveTo(new Date('2025-12-10T17:00:00Z'));
      await payWith(mailing, await find(), now(), card);
      await sync(id);
      mailing.moveTo(IN_TIME);
    },
    async decline(code: string): Promise<void> {
      sandbox.bank.declineNextCharge((await find()).card?.id ?? '', code);
      assert.equal((await mailing.charge(id)).type, 'declined');
    },
    /** Makes the refunds that the worker makes now, or after some hours. */
    workOff(hours = 0) {
      if (hours > 0) mailing.moveTo(daysAfter(now(), hours / 24));
      return payments.ask(makeDueRefunds, id, now());
    },
    /** She disputes a charge; returns how her bank decides. */
    async dispute(of: 'deposit' | 'balance') {
      const record = await find();
      const payment = of === 'deposit' ? record.depositPayment : nextInstallment(record).payment;
      const { latest_charge } = await stripe.paymentIntents.retrieve(payment?.id ?? '');
      const dispute = sandbox.bank.openDispute(String(latest_charge));
      await sync(id);
      return async (outcome: 'won' | 'lost') => {
        sandbox.bank.closeDispute(dispute, outcome);
        await sync(id);
      };
    },
  };
}

/** A registration with its deposit paid on December 1. */
export async function startCommands(t: TestScope, { card = 'pm_card_visa' } = {}) {
  const mailing = await startMailing(t);
  return commandsFor(mailing, await mailing.register({ card }));
}
