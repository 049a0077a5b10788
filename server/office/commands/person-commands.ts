import * as v from 'valibot';
import { isSameAddress, placeLinkLetter, requestAt } from '#server/letters/holder-letters.ts';
import { oweLetters } from '#server/letters/queue.ts';
import type { Situation } from '#server/office/timeline.ts';
import { moment } from '#server/office/words.ts';
import {
  balanceOnceHandedOver,
  clearBounce,
  HANDED_OVER,
  handOverStop,
  hasOwnPage,
  isBlank,
  isHandedOver,
  isUnreachable,
  pendingHandOver,
  type RegistrationRecord,
  renewLinks,
  takerStop,
} from '#server/registration/registration.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS, type Contact, contactIn } from '#shared/registration.ts';
import { type CommandContext, impossible } from './command.ts';
import { contactFields, mark, note } from './inputs.ts';
import { eventCommand, registrationCommand } from './registration-command.ts';

const edit = registrationCommand({
  id: 'edit',
  helps: ['bounced'],
  heading: 'Correct her details',
  sentence: 'Changes her name, e-mail or phone, and sends the messages that become due.',
  group: 'details',
  fields: Object.fromEntries(
    CONTACT_FIELDS.map((name) => [
      name,
      {
        ...contactFields[name],
        ...(name === 'email' && {
          hint: 'Another address ends the links in her earlier messages; a message tells the old one.',
        }),
        initial: ({ record }: Situation) => contactIn(record.registrant)[name],
      },
    ]),
  ),
  refuses({ record }) {
    const why = record.forgottenAt ? 'forgotten' : record.deposit === 'closed' ? 'closed' : undefined;
    return why && `This registration is ${why}: there is nothing to correct.`;
  },
  plan({ about: { record, now }, by, context }, given) {
    const changes = changesIn(record, given);
    const corrected: Partial<Contact> = Object.fromEntries(changes.map(({ name, is }) => [name, is]));
    const { email } = corrected;
    if (changes.length === 0)
      throw impossible('Nothing is different: say what to correct of her name, her phone or her e-mail.');
    if (isHandedOver(record, corrected)) throw impossible(`${HANDED_OVER}.`);
    const isMoved = email !== undefined && !isSameAddress(email, record.registrant.email);
    return {
      says: [
        { compared: changes.map(({ compared }) => compared) },
        isMoved && record.deposit === 'paid'
          ? 'A message tells the old address. Links in earlier messages no longer work.'
          : '',
      ],
      async carryOut() {
        if (!(await context.payments.ask(correctDetails, record, corrected, by, now)))
          throw impossible('This registration was closed in this moment.');
      },
    };
  },
});

/** What differs from the details on record, as they would be typed, with its label and how it was. */
function changesIn({ registrant }: RegistrationRecord, given: Partial<Contact>) {
  return CONTACT_FIELDS.flatMap((name) => {
    const { takes, label } = contactFields[name];
    const is = given[name];
    if (is === undefined || is === v.safeParse(takes, registrant[name]).output) return [];
    return [{ name, is, compared: [label, contactIn(registrant)[name], is] as const }];
  });
}

/** A notice of a charge that may not have reached her is sent again. */
const addressWorks = registrationCommand({
  id: 'address-works',
  heading: 'Record that her address works',
  sentence:
    'After a message came back: messages go to her address again, and she is told of a charge that she may not have heard of.',
  group: 'details',
  refuses: ({ record }) =>
    isUnreachable(record)
      ? undefined
      : 'No message to her present address came back: correct it if it is wrong.',
  plan: ({ about: { record, now }, by, context }) => ({
    says: [
      `Messages go to ${record.registrant.email} again.`,
      'Other messages that came back are not sent again automatically.',
    ],
    async carryOut() {
      await clearBounce(context.payments, record, by, now);
    },
  }),
});

function whyNotHandedOver({ record, now }: Situation): string | undefined {
  const { facts } = record.edition;
  switch (handOverStop(record, now)) {
    case 'not-offered':
      return 'In this retreat no place can be handed over.';
    case 'too-late':
      return `A place could be handed over until ${moment(new Date(facts.handOverUntil ?? now), record)}, and there is no way around that.`;
    case 'no-place':
      return 'Only a place that is paid for and not cancelled can be handed over.';
    case 'disputed':
      return 'A charge is disputed, and that must be over first.';
    case 'being-charged':
      return 'The balance is being charged at this moment: try it again in a few minutes.';
    case undefined:
      return pendingHandOver(record, now)
        ? 'It is being handed over already: take that back first.'
        : undefined;
  }
}

/** Until both have agreed the place is hers. Refused when the edition's last day for it is past, no matter who asks. */
const handOver = eventCommand({
  id: 'hand-over',
  heading: 'Hand her place over',
  sentence: 'To somebody else, once both have agreed by the links in their messages.',
  group: 'absent',
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
  refuses: whyNotHandedOver,
  button: (input) => `Ask her to hand her place over to ${input.firstName} ${input.lastName}`,
  events: (_, to) => [{ kind: 'handOver', facts: to }],
  async warns({ about: { record, now }, context }, to) {
    const stop = await takerStop(context.payments, record, to);
    if (stop === 'has-place') throw impossible('She has a place at this retreat already.');
    if (stop)
      throw impossible(
        `Messages to ${to.email} go to who has the place now: the other one needs an address of her own.`,
      );
    const { cents, isCharged } = balanceOnceHandedOver(record, now);
    const [first, second] = [record.registrant.firstName, to.firstName];
    const how = isCharged ? `charged to ${second}’s card, after a message to her` : `asked of ${second}`;
    return [
      `Once ${first} has agreed, ${second} reads the terms and accepts the place by the link in her message.`,
      cents === 0 ? 'Nothing is left to pay.' : `The balance of ${formatCents(cents)} is then ${how}.`,
      'What was paid stays paid, and money between the two is theirs.',
      isUnreachable(record) ? `Messages to ${first} come back: correct her address first.` : '',
    ];
  },
});

const handOverAgreed = eventCommand({
  id: 'hand-over-agreed',
  heading: 'She agrees to handing her place over',
  sentence: 'Records that she agreed in writing. On her page she does so herself.',
  group: 'absent',
  refuses({ record, now }) {
    const pending = pendingHandOver(record, now);
    return pending && !pending.agreedAt ? undefined : 'Nothing waits for her to agree.';
  },
  events: ({ record }) => [{ kind: 'handOverAgreed', facts: { of: record.decisions.handOver?.at } }],
});

const COMES_BACK = 'Messages to her come back: correct her address first.';

/** Whoever has the link can act for her, so it goes to her mailbox, and nobody else is shown it. */
const sendLink = registrationCommand({
  id: 'link',
  helps: ['action-needed', 'asked-to-pay'],
  heading: 'Send her the link to her page',
  sentence: 'Sends her a message with the link that opens her page.',
  group: 'talk',
  fields: {
    renew: { takes: mark, label: 'End all links that she or anybody else has had until now', input: 'mark' },
  },
  refuses: whyNoPage,
  button: ({ renew }) =>
    renew ? 'Send her a new link and end the older ones' : 'Send her the link to her page',
  plan({ about: { record, now }, context }, { renew }) {
    const isCut = isUnreachable(record);
    if (isCut && !renew) throw impossible(COMES_BACK);
    return {
      says: [
        renew ? 'Older links no longer work.' : '',
        isCut
          ? `No message goes out. ${COMES_BACK}`
          : `A message with the link goes to ${record.registrant.email}.`,
      ],
      async carryOut() {
        if (!renew) return oweLink(context, record, requestAt(now), now);
        const linksEpoch = record.linksEpoch + 1;
        await renewLinks(context.payments, { subject: record.id, epoch: record.linksEpoch });
        return oweLink(context, { ...record, linksEpoch }, `renewed-${linksEpoch}`, now);
      },
    };
  },
});

async function oweLink(
  { queue, letterLog }: CommandContext,
  record: RegistrationRecord,
  request: string,
  now: Date,
): Promise<undefined> {
  const letter = placeLinkLetter(record, request);
  if (letter) await oweLetters([letter], { queue, letterLog, now });
}

function whyNoPage({ record }: Situation): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: it no longer has a page.';
  return hasOwnPage(record)
    ? undefined
    : 'She has a page once her deposit is paid, or a place is held for her: hold one first.';
}

export const addNote = eventCommand({
  id: 'note',
  heading: 'Add a note',
  sentence: 'Keeps a note about her for all of the office, with your name and the moment.',
  group: 'talk',
  fields: {
    text: {
      takes: note,
      label: 'Note',
      hint: 'It is in the data that she can download: name nobody else in it. 1,000 characters at most.',
      input: 'text',
    },
  },
  refuses: ({ record }) =>
    isBlank(record) ? 'Her personal data were removed: nothing more is noted about her.' : undefined,
  button: () => 'Keep this note',
  events: (_, { text }) => [{ kind: 'note', facts: { text } }],
});

export const personCommands = [edit, addressWorks, handOver, handOverAgreed, addNote, sendLink];
