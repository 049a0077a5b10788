import assert from 'node:assert/strict';
import type { KnownAttack } from './known-attack.ts';
import { somebody, visitForLetters } from './visit.ts';

type Names = readonly [firstName: string, lastName: string];

/** First and last names that would make a letter of the site an errand of somebody else. */
const MESSAGES: readonly Names[] = [
  ['Ring 1-800-555-0199', 'Quuxbank'],
  ['Quuxring 1 800', '555 0199 Quux'],
  ['１８００５５５０１９９', 'Quuxwide'],
  ['quuxprize.example/win', 'Quuxlink'],
  ['https://quuxprize', 'Quuxscheme'],
  ['Quuxwinner, the office owes you', 'a Quuxrefund until noon'],
];

/** A name that may be a message stands nowhere in the letter that anybody can have sent to any address. */
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
