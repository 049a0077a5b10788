import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Scenario, simulate } from './simulate.ts';

const scenario: Scenario = {
  arrivalsPerSecond: 20,
  seconds: 3,
  apps: 1,
  limitPerMinute: 100_000,
  callsPerSecond: 10,
  callsPerRegistration: 3,
  serviceS: 0.02,
  seed: 1,
};

/** What `server/registration/throttled.test.ts` measures: three runs took 17.1 to 17.2 s for 60 visitors. */
const MEASURED_S_PER_VISITOR = 17.2 / 60;

describe('the simulation of a crowd', () => {
  test('it takes as long as the real run with a throttling sandbox, within a tenth', () => {
    const { arrived, served, endS } = simulate(scenario);
    assert.equal(served, arrived);
    const measuredS = arrived * MEASURED_S_PER_VISITOR;
    assert.ok(Math.abs(endS - measuredS) < measuredS / 10, `${endS} s instead of ${measuredS} s`);
  });

  test('the same seed gives the same crowd, another seed another one', () => {
    assert.deepEqual(simulate(scenario), simulate(scenario));
    assert.notDeepEqual(simulate(scenario), simulate({ ...scenario, seed: 2 }));
  });

  test('everybody is served or refused, and the site’s limit holds', () => {
    const crowd = { ...scenario, seconds: 600, limitPerMinute: 30 };
    const { arrived, served, refused, sentAway } = simulate(crowd);
    assert.equal(served + refused, arrived);
    assert.ok(served <= 301 + 4, String(served));
    assert.equal(sentAway, 0);
  });

  test('two apps that share Stripe’s rate limit take as long as one', () => {
    const one = simulate({ ...scenario, seconds: 30 });
    const two = simulate({ ...scenario, seconds: 30, apps: 2 });
    assert.ok(Math.abs(one.endS - two.endS) < one.endS / 5, `${one.endS} and ${two.endS}`);
  });
});
