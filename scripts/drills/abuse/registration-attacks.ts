import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { KnownAttack } from './ordinary-site.ts';
import { newAddress, newAddressOfIpv6, somebody, visit, visitForLetters } from './visit.ts';

/**
 * Requests with invented client secrets do not count against the limit of the e-mail address that they
 * contain.
 */
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

/**
 * If the proxy sends ports with the addresses, many visitors do not count as one, nor one visitor as many.
 */
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

type Names = readonly [firstName: string, lastName: string];

/** First and last names that would turn a letter of the site into somebody else's message. */
const MESSAGES: readonly Names[] = [
  ['Ring 1-800-555-0199', 'Quuxbank'],
  ['Quuxring 1 800', '555 0199 Quux'],
  ['１８００５５５０１９９', 'Quuxwide'],
  ['quuxprize.example/win', 'Quuxlink'],
  ['https://quuxprize', 'Quuxscheme'],
  ['Quuxwinner, the office owes you', 'a Quuxrefund until noon'],
];

/** The letter that anybody can have sent to any address contains no name that may be a message. */
export const messagesForNames: KnownAttack = {
  name: 'messages for names',
  async run({ siteUrl, inbox }) {
    const letterTo = async ([firstName, lastName]: Names): Promise<string> => {
      const details = somebody({ firstName, lastName });
      const { status } = await visitForLetters(siteUrl, details);
      assert.equal(status, 200, `${firstName} ${lastName} got ${status}`);
      return JSON.stringify(await inbox.waitForLetters(details.email, 1));
    };
    assert.ok(
      (await letterTo(['Quillfeather', 'Marrowby'])).includes('Quillfeather'),
      'No letter has a name',
    );
    for (const names of MESSAGES) {
      const letter = await letterTo(names);
      const relayed = names.filter((name) => letter.includes(name));
      assert.deepEqual(relayed, [], `The letter holds ${relayed}`);
    }
    return `${MESSAGES.length} letters without them`;
  },
};
