import {
  isWaitingMail,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  mailVersion,
  type WaitingMail,
  type WaitingMailKind,
} from '#server/mail/job.ts';
import { endOf } from '#server/mail/letter-log.ts';
import { utcDay } from '#server/registration/acts.ts';
import { isUndeliverable } from '#server/registration/bounces.ts';
import {
  beginningOf,
  confirmableUntil,
  startOfDay,
  type WaitingRecord,
  waitingStateOf,
} from '#server/registration/waiting-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { formatCents } from '#shared/money.ts';
import {
  hoursAfter,
  letterOf,
  type Said,
  type SomeLetters,
  sampleFacts,
  type WaitingLetterAt,
} from './letter-kind.ts';
import { officeWords, personFacts } from './office-letters.ts';
import { button, factTable } from './render/letter.ts';
import { fullName, isolate, shortName } from './render/names.ts';
import {
  daysOf,
  leaveUrlOf,
  type MessageContext,
  officePages,
  officeUrlOf,
  pageUrlOf,
  waysToAsk,
} from './render/parts.ts';

export const waitingLetters = {
  /**
   * To her, as soon as her address was left with us: she confirms that it was she, and the button puts her on the list. If
   * she is on it, she is told so, on another day than that on which she joined.
   */
  'waiting-received': {
    name: 'Please confirm: the waiting list',
    subject: ({ facts }, letter) =>
      letter?.askedOn === undefined
        ? `Please confirm: the waiting list for ${facts.title}`
        : `You are on the waiting list: ${facts.title}`,
    names: 'probable ones',
    factsAt(record, now) {
      const { askedAt, joinedAt, offer } = record;
      const addressHasPlace = record.addressHasPlace && { addressHasPlace: true };
      const state = waitingStateOf(record, now);
      if (state === 'unconfirmed') {
        const until = confirmableUntil(record);
        return now < until ? { until: until.toISOString(), ...addressHasPlace } : undefined;
      }
      const today = startOfDay(askedAt);
      if (state === 'lapsed' || joinedAt >= today) return undefined;
      const offeredUntil = offer && { offeredUntil: offer.until.toISOString() };
      return { askedOn: utcDay(today), ...offeredUntil, ...addressHasPlace };
    },
    says(letter, edition, context) {
      const { facts, timetable } = edition;
      const { until, waitingId } = letter;
      if (until === undefined) return saidToListed(letter, edition, context);
      const expiresAt = new Date(until);
      return saidToWaiting(letter, edition, context, {
        preheader: 'One more step and you’re on the list. There is nothing to pay.',
        title: 'One more step and you’re on the waiting list',
        blocks: [
          `Thank you for wanting to join us. All places for ${facts.title}, ${daysOf(edition)}, are taken at the moment.`,
          `Please press this button to confirm that you would like to wait. It works until ${tellMoment(expiresAt, timetable, letter.timeZone)}.`,
          button('Put me on the waiting list', context.links.url('wait', { subject: waitingId, expiresAt })),
          'If a place opens up, the retreat office writes to this address, usually in the order in which people joined. That e-mail has a link that keeps the place for you for 48 hours. Nothing is charged until you confirm a payment yourself.',
          'We can’t promise that a place will open up. Please don’t book anything you couldn’t cancel.',
          letter.addressHasPlace && PLACE_AT_ADDRESS,
          'If you no longer want to wait, the link at the end of this e-mail takes you off the list and deletes your details.',
        ],
      });
    },
    samples(edition) {
      const waits = { until: sampleUntil(edition) };
      const { until: offeredUntil } = waits;
      const onList = { askedOn: '2025-12-22' };
      return {
        usual: waits,
        'with-a-place': { ...waits, addressHasPlace: true },
        'on-the-list': onList,
        'with-an-offer': { ...onList, offeredUntil },
      };
    },
  },

  /** When somebody has joined and confirmed it: who it is, and the link to the list. */
  'office-waiting': {
    name: 'To the office: someone is waiting for a place',
    subject: (_edition, letter) => `On the waiting list: ${shortName(letter)}`,
    factsAt: (record, now) => (waitingStateOf(record, now) === 'waiting' ? {} : undefined),
    says(letter, { facts, timetable }, context) {
      const name = isolate(fullName(letter));
      const page = officeUrlOf(context, officePages.waiting);
      const joined = { label: 'Joined', value: tellMoment(new Date(letter.joinedAt), timetable) };
      const command = `support list --edition ${facts.id}`;
      return {
        preheader: 'Nothing to do unless a place is free.',
        title: 'Someone has joined the waiting list',
        blocks: [
          `${name} has joined the waiting list for ${facts.title}. Once a place is free, you can offer it: the waiting list shows who is waiting, in the order of joining.`,
          factTable([...personFacts(letter), joined, { label: 'Command', value: !page && command }]),
          page && button('Open the waiting list', page),
          officeWords.reply(name),
        ],
      };
    },
    samples: () => ({ usual: {} }),
  },

  /**
   * To her, while a place is held for her. The link is made when the letter is rendered, so that none is stored
   * on a queue.
   */
  'place-offered': {
    name: 'A place is free for you',
    subject: ({ facts }) => `A place is free for you: ${facts.title}`,
    factsAt: (record, now) =>
      record.offer && waitingStateOf(record, now) === 'offered'
        ? { until: record.offer.until.toISOString() }
        : undefined,
    says(letter, edition, context) {
      const { facts, timetable } = edition;
      const expiresAt = new Date(letter.until);
      const href = context.links.url('offer', { subject: letter.waitingId, expiresAt });
      const until = tellMoment(expiresAt, timetable, letter.timeZone);
      return saidToWaiting(letter, edition, context, {
        preheader: `It is kept for you until ${until}.`,
        title: 'A place is free for you',
        blocks: [
          `A place in ${facts.title}, ${daysOf(edition)}, has opened up, and you are next on the waiting list. We would be glad to have you with us.`,
          `The place is kept for you until ${until}. After that, we ask the next person on the list.`,
          `To take it, open the link and register: choose the package, look over your details, and pay the deposit of ${formatCents(facts.prices.depositCents)}. Nothing is charged until you confirm the payment yourself. The link is for one place, so please keep it to yourself.`,
          button('Take the place', href),
          'If you can’t take it, you don’t need to do anything. If you don’t want to be asked again, take yourself off the list with the link at the end of this e-mail.',
        ],
      });
    },
    samples: (edition) => ({ usual: { until: sampleUntil(edition) } }),
  },
} satisfies SomeLetters;

const letters: { readonly [Kind in WaitingMailKind]: WaitingLetterAt<Kind> } = waitingLetters;

/**
 * The letters that are due for an entry: true at this moment, and not sent or dismissed. None once the retreat has begun,
 * and none to an address that bounces.
 */
export function waitingLettersDue(record: WaitingRecord, now: Date): WaitingMail[] {
  const { id, edition, registrant, joinedAt } = record;
  if (now >= beginningOf(edition)) return [];
  const about = { waitingId: id, edition: edition.facts.id, ...registrant, joinedAt: joinedAt.toISOString() };
  return MAIL_KINDS.filter(isWaitingMail).flatMap((kind) => {
    const facts = letters[kind].factsAt(record, now);
    const letter: WaitingMail | undefined = facts && letterOf(kind, about, facts);
    const isDue = letter && !isUndeliverable(letter, [record.bounced]) && !endOf(letter, record.letters);
    return isDue ? letter : [];
  });
}

/** A queued letter as it is to be sent now; undefined when it is no longer true or due. */
export function waitingLetterDue(
  { kind, version }: { kind: MailKind; version: string },
  record: WaitingRecord,
  now: Date,
): WaitingMail | undefined {
  return waitingLettersDue(record, now).find(
    (letter) => letter.kind === kind && mailVersion(letter) === version,
  );
}

/** To an address that is on the list, and was put on it once more. */
function saidToListed(letter: MailOf<'waiting-received'>, edition: Edition, context: MessageContext): Said {
  const { facts, timetable } = edition;
  const { waitingId, offeredUntil, addressHasPlace, timeZone } = letter;
  const expiresAt = offeredUntil === undefined ? undefined : new Date(offeredUntil);
  return saidToWaiting(letter, edition, context, {
    preheader: 'You keep your turn, and there is nothing more to do.',
    title: 'You are on the waiting list',
    blocks: [
      `Someone, perhaps you, entered this e-mail address again for the waiting list of ${facts.title}. You are already on it: nothing has changed, and you keep your turn.`,
      expiresAt
        ? `A place is being kept for you right now, until ${tellMoment(expiresAt, timetable, timeZone)}. Here is the way to it:`
        : 'If a place opens up for you, we will write to this address.',
      expiresAt && button('Take the place', context.links.url('offer', { subject: waitingId, expiresAt })),
      addressHasPlace && PLACE_AT_ADDRESS,
      'If you no longer want to wait, the link at the end of this e-mail takes you off the list.',
    ],
  });
}

const PLACE_AT_ADDRESS =
  'There is already a paid place under this e-mail address. If the place is yours, you don’t need to wait for one: take yourself off the list with the link at the end of this e-mail, or simply leave things as they are. If you are not sure, ask us.';

/** A letter to somebody who waits, with the link to leave the list. */
function saidToWaiting(letter: WaitingMail, edition: Edition, context: MessageContext, said: Said): Said {
  return {
    ...said,
    questions: `If you have a question, ${waysToAsk(context)}.`,
    reason: `You received this e-mail because your address was put on the waiting list at ${pageUrlOf(context)}. If that wasn’t you, take it off the list, and we won’t write to it again.`,
    leave: { label: 'Take me off the list', href: leaveUrlOf(letter, edition, context) },
  };
}

const sampleUntil = (edition: Edition) => hoursAfter(sampleFacts(edition).paidAt, -336);
