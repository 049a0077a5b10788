import { isSameAddress } from '#server/letters/address-letters.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import { balanceOnceHandedOver } from '#server/record/hand-over.ts';
import { comparableName } from '#server/record/registrations.ts';
import { formatCents } from '#shared/money.ts';
import { contactFields } from './act.ts';
import { moment } from './plain-words.ts';
import { impossible } from './refusal.ts';
import { decisionAct } from './registration-act.ts';

/**
 * Begins to hand her place over to somebody: she is asked to agree, then the other one to accept. Until that is done
 * the place is hers, and it can be taken back. Refused when the edition's last day for it is past, no matter who asks.
 */
export const handOver = decisionAct({
  id: 'hand-over',
  heading: 'Hand her place over',
  sentence: 'To somebody else, once both have agreed by the links in their letters.',
  group: 'details',
  help: [
    'Begins to hand her place over to this person, until the last day for it of her edition: a letter asks her to agree,',
    'then one asks the other to accept the terms. It can be withdrawn until the place is accepted.',
  ],
  fields: {
    firstName: { ...contactFields.firstName, label: 'First name of who gets it' },
    lastName: { ...contactFields.lastName, label: 'Last name of who gets it' },
    email: { ...contactFields.email, label: 'Her own e-mail' },
    phoneNumber: {
      ...contactFields.phoneNumber,
      label: 'Her phone',
      hint: 'Its last digits prove on her page that it is she.',
    },
  },
  confirm: (given) => `Ask her to hand her place over to ${given.firstName} ${given.lastName}`,
  decides: 'handOver',
  async plan(record, act, to, context) {
    const { registrant, edition } = record;
    const until = edition.facts.handOverUntil;
    if (until === undefined) throw new Error(`${edition.facts.id} has places handed over without a last day`);
    if (isSameAddress(registrant.email, to.email))
      throw impossible(
        `Letters to ${registrant.email} go to who has the place now: the other one needs an address of her own.`,
      );
    const others = await (await context.openRecord()).findByAddress(to.email);
    const isThere = others.some(
      (one) =>
        one.edition.facts.id === edition.facts.id &&
        one.id !== record.id &&
        comparableName(one.registrant) === comparableName(to),
    );
    if (isThere) throw impossible('She has a place at this retreat already.');
    const { cents, isCharged } = balanceOnceHandedOver(record, act.at);
    const [first, second] = [registrant.firstName, to.firstName];
    const says = [
      `${first} is asked by letter to agree on her page. Then ${second} gets a letter with a link: she reads the terms, and accepts the place.`,
      {
        facts: [
          ['Now', `${first} ${registrant.lastName}`, registrant.email],
          ['Then', `${second} ${to.lastName}`, to.email, to.phoneNumber],
        ],
      },
      cents === 0
        ? 'Nothing is left to pay.'
        : `The balance of ${formatCents(cents)} ${isCharged ? `is then charged to ${second}’s card, after a letter to her` : `is then asked of ${second}`}.`,
      `Until ${moment(new Date(until), record)} both must have done so; before that, it can be withdrawn. What was paid stays paid, and money between the two is theirs.`,
      isUnreachable(record) ? `Letters to ${first} come back: correct her address first.` : '',
    ];
    return { decision: { ...act, ...to }, says };
  },
});
