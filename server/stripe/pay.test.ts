import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { giveCard, payOnPage, WAYS } from '#server/testing/test-cards.ts';
import { killedAt, startDue } from '#server/testing/test-charges.ts';
import { openCheckout } from './checkout.ts';
import { pay } from './pay.ts';

const CENTS = 72_625;
/** The requests of a press: it opens the payment, counts her declines, confirms the card, and reads the payment. */
const REQUESTS = ['opening', 'counting', 'confirming', 'reading'];

describe('promise 4: the process is killed at a press on her page, and after a restart', () => {
  for (const isSent of [false, true]) {
    for (const [index, request] of REQUESTS.entries())
      test(`${isSent ? 'after' : 'before'} ${request} her payment, another press pays, or finds it paid; never twice`, async (t) => {
        const due = await startDue(t);
        const { id, find, now, charge, charged, sandbox, state } = due;
        const record = await find(id);
        const shown = { cents: CENTS, card: record.card ?? assert.fail(), returnUrl: WAYS.cancel_url };
        const killed = { ...due, stripe: killedAt(index + 1, isSent, sandbox) };
        await pay(killed, record, shown, now()).catch(() => {});
        const again = await payOnPage(due, record, now()).catch(({ code }: { code?: string }) => code);
        assert.match(JSON.stringify(again), /"(paid|changed)"/);
        await charge(id);
        assert.deepEqual([await charged(id), await state(id)], [[CENTS], 'settled']);
      });

    test(`${isSent ? 'after' : 'before'} making the page for another card, another press opens one, and her card is charged once`, async (t) => {
      const due = await startDue(t);
      const { id, find, now, charge, charged, sandbox } = due;
      const killed = { ...due, stripe: killedAt(1, isSent, sandbox) };
      await assert.rejects(openCheckout(killed, await find(id), WAYS, now()));
      assert.equal((await giveCard(due, await find(id), now())).card?.brand, 'mastercard');
      await charge(id);
      assert.deepEqual([(await charge(id)).type, await charged(id)], ['stopped', [CENTS]]);
    });
  }
});
