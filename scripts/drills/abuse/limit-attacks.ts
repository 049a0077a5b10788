import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { KnownAttack } from './known-attack.ts';
import { newAddress, newAddressOfIpv6, somebody, visit } from './visit.ts';

/** Invented client secrets take none of the places of the address that they are sent with. */
export const usedUpLimits: KnownAttack = {
  name: 'limits used up for another',
  async run({ siteUrl }) {
    const victim = somebody();
    for (let time = 1; time <= 7; time += 1) {
      const paymentIntentClientSecret = `pi_${invented()}_secret_${invented()}`;
      const { status } = await visit(siteUrl, { ...victim, paymentIntentClientSecret });
      assert.equal(status, 409, `An invented secret got ${status}`);
    }
    const { status } = await visit(siteUrl, victim);
    assert.equal(status, 200, `Then the victim got ${status}`);
    return '409 × 7, then 200 for the victim';
  },
};

function invented(): string {
  return randomBytes(12).toString('hex');
}

const FIRST_PORT = 50_000;
const SEVEN = [1, 2, 3, 4, 5, 6, 7];

/** A proxy that tells ports makes neither one visitor of many nor many of one. */
export const visitorsWithPorts: KnownAttack = {
  name: 'addresses with ports',
  async run({ siteUrl }) {
    const statusesFrom = async (addresses: readonly string[]): Promise<number[]> => {
      const statuses: number[] = [];
      for (const from of addresses) statuses.push((await visit(siteUrl, somebody(), { from })).status);
      return statuses;
    };
    const seven = SEVEN.map((number) =>
      number % 2 ? `${newAddress()}:${FIRST_PORT + number}` : `[${newAddressOfIpv6()}]:443`,
    );
    const many = await statusesFrom(seven);
    assert.deepEqual(many, [200, 200, 200, 200, 200, 200, 200], `Seven visitors got ${many}`);
    const alone = newAddress();
    const one = await statusesFrom(SEVEN.map((number) => `${alone}:${FIRST_PORT + number}`));
    assert.deepEqual(one, [200, 200, 200, 200, 200, 429, 429], `One visitor got ${one}`);
    return '200 × 7 for seven; 200 × 5, 429 × 2 for one';
  },
};
