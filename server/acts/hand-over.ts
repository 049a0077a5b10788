import { isSameAddress } from '#server/letters/address-letters.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import { balanceOnceHandedOver } from '#server/record/hand-over.ts';
import { comparableName } from '#server/record/registrations.ts';
import { formatCents } from '#shared/money.ts';
import type { Contact } from '#shared/registration.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, decide, type Told } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/**
 * Begins to hand her place over to somebody: she is asked to agree, then the other one to accept. Until that is done the
 * place is hers, and it can be taken back.
 * @throws {Refusal} when the edition's last day for it is past, whoever asks
 */
export function handOver(context: ActContext, id: string, to: Contact, asked: Asked): Promise<Told> {
  return decide(context, id, 'handOver', asked, async (record, act) => {
    const { registrant, edition } = record;
    const until = edition.facts.handOverUntil;
    if (until === undefined) throw new Error(`${edition.facts.id} has places handed over without a last day`);
    if (isSameAddress(registrant.email, to.email)) {
      const says = `Letters to ${registrant.email} go to who has the place now: the other one needs an address of her own.`;
      throw new Refusal('wrongState', says);
    }
    const others = await (await context.openRecord()).findByAddress(to.email);
    const isThere = others.some(
      (one) =>
        one.edition.facts.id === edition.facts.id &&
        one.id !== id &&
        comparableName(one.registrant) === comparableName(to),
    );
    if (isThere) throw new Refusal('wrongState', 'She has a place at this retreat already.');
    const { cents, isCharged } = balanceOnceHandedOver(record, act.at);
    const { firstName, lastName, email, phoneNumber } = to;
    const [first, second] = [registrant.firstName, firstName];
    const says = [
      `${first} is asked by letter to agree on her page. Then ${second} gets a letter with a link: she reads the terms, and accepts the place.`,
      {
        facts: [
          ['Now', `${first} ${registrant.lastName}`, registrant.email],
          ['Then', `${second} ${lastName}`, email, phoneNumber],
        ],
      },
      cents === 0
        ? 'Nothing is left to pay.'
        : `The balance of ${formatCents(cents)} ${isCharged ? `is then charged to ${second}’s card, after a letter to her` : `is then asked of ${second}`}.`,
      `Until ${moment(new Date(until), record)} both must have done so; before that, it can be withdrawn. What was paid stays paid, and money between the two is theirs.`,
      isUnreachable(record) ? `Letters to ${first} come back: correct her address first.` : '',
    ];
    return { decision: { ...act, firstName, lastName, email, phoneNumber }, says };
  });
}
