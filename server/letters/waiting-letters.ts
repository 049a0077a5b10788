import {
  confirmableUntil,
  startOfDay,
  utcDay,
  type WaitingRecord,
  waitingStateOf,
} from '#server/registration/registration.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { formatCents } from '#shared/money.ts';
import type { LetterKinds, Said, WaitingLetter } from './letter-kind.ts';
import { noticeToOffice } from './office-letters.ts';
import { button } from './render/letter.ts';
import { fullName } from './render/names.ts';
import {
  daysOf,
  type MessageContext,
  officePages,
  pageUrlOf,
  type Writing,
  waysToAsk,
} from './render/parts.ts';

export const waitingLetters = {
  /** Once her address was left with us. If she is on the list, she is told so, not on the day she joined. */
  'waiting-received': {
    about: 'waiting',
    name: 'Please confirm: the waiting list',
    names: 'probable ones',
    due(entry, now) {
      const { askedAt, joinedAt, offer } = entry;
      const state = waitingStateOf(entry, now);
      if (state === 'unconfirmed') {
        const until = confirmableUntil(entry);
        return now < until ? { key: [joinedAt], says: (w) => saidToJoining(entry, until, w) } : undefined;
      }
      const today = startOfDay(askedAt);
      if (state === 'lapsed' || joinedAt >= today) return undefined;
      const says = (w: Writing) => (offer ? saidToOffered(entry, offer.until, w) : saidToListed(entry, w));
      return { key: [joinedAt, utcDay(today)], says };
    },
  },

  /** When somebody has joined and confirmed it: who it is, and the link to the list. */
  'office-waiting': {
    about: 'waiting',
    to: 'office',
    name: 'To the office: someone is waiting for a place',
    due(entry, now) {
      if (waitingStateOf(entry, now) !== 'waiting') return undefined;
      const { registrant, joinedAt } = entry;
      return {
        key: [joinedAt],
        says: (w) =>
          noticeToOffice(entry, w, {
            subject: `On the waiting list: ${fullName(registrant)}`,
            title: 'Someone has joined the waiting list',
            intro: (name) =>
              `${name} has joined the waiting list for ${w.title}. Once a place is free, you can offer it: the waiting list shows who is waiting, in the order of joining.`,
            facts: [
              { label: 'Joined', value: tellMoment(joinedAt, w.edition.timetable) },
              { label: 'Command', value: !w.officeUrl && `support list --edition ${w.edition.facts.id}` },
            ],
            page: ['Open the waiting list', officePages.waiting],
          }),
      };
    },
  },

  'place-offered': {
    about: 'waiting',
    name: 'A place is free for you',
    due(entry, now) {
      const { offer } = entry;
      if (!offer || waitingStateOf(entry, now) !== 'offered') return undefined;
      return { key: [offer.until], says: (w) => saidToOffered(entry, offer.until, w) };
    },
  },
} satisfies LetterKinds<WaitingLetter>;

function saidToJoining(entry: WaitingRecord, expiresAt: Date, w: Writing): Said {
  const { id: subject, addressHasPlace } = entry;
  return {
    ...toWaiting(entry, w),
    title: 'One more step and you’re on the waiting list',
    blocks: [
      `Thank you for wanting to join us. All places for ${w.title}, ${daysOf(w.edition)}, are taken at the moment.`,
      `Please press this button to confirm that you would like to wait. It works until ${w.moment(expiresAt)}.`,
      button('Put me on the waiting list', w.links.url('wait', { subject, expiresAt })),
      'If a place opens up, the retreat office writes to this address, usually in the order in which people joined. That e-mail has a link that keeps the place for you for 48 hours. Nothing is charged until you confirm a payment yourself.',
      'We can’t promise that a place will open up. Please don’t book anything you couldn’t cancel.',
      addressHasPlace && PLACE_AT_ADDRESS,
      'If you no longer want to wait, the link at the end of this e-mail takes you off the list and deletes your details.',
    ],
  };
}

/** To an address that is on the list, and was put on it once more. */
function saidToListed(entry: WaitingRecord, w: Writing): Said {
  return {
    ...toWaiting(entry, w),
    title: 'You are on the waiting list',
    blocks: [
      `Someone, perhaps you, entered this e-mail address again for the waiting list of ${w.title}. You are already on it: nothing has changed, and you keep your turn. If a place opens up for you, we will write to this address.`,
      entry.addressHasPlace && PLACE_AT_ADDRESS,
      'If you no longer want to wait, the link at the end of this e-mail takes you off the list.',
    ],
  };
}

function saidToOffered(entry: WaitingRecord, expiresAt: Date, w: Writing): Said {
  const { facts } = w.edition;
  const until = w.moment(expiresAt);
  return {
    ...toWaiting(entry, w),
    title: 'A place is free for you',
    blocks: [
      `A place in ${facts.title}, ${daysOf(w.edition)}, has opened up, and you are next on the waiting list. We would be glad to have you with us.`,
      `The place is kept for you until ${until}. After that, we ask the next person on the list.`,
      `To take it, open the link, read the policies and agree to them. A page of your own then opens, on which you pay the deposit of ${formatCents(facts.prices.depositCents)}. Nothing is charged until you confirm the payment yourself. The link is for one place, so please keep it to yourself.`,
      button('Take the place', w.links.url('offer', { subject: entry.id, expiresAt })),
      'If you can’t take it, you don’t need to do anything. If you don’t want to be asked again, take yourself off the list with the link at the end of this e-mail.',
    ],
  };
}
const PLACE_AT_ADDRESS =
  'There is already a paid place under this e-mail address. If the place is yours, you don’t need to wait for one: take yourself off the list with the link at the end of this e-mail, or simply leave things as they are. If you are not sure, ask us.';

function toWaiting({ id }: Pick<WaitingRecord, 'id'>, w: Writing) {
  return {
    questions: `If you have a question, ${waysToAsk(w)}.`,
    reason: `You received this e-mail because your address was put on the waiting list at ${pageUrlOf(w)}. If that wasn’t you, take it off the list, and we won’t write to it again.`,
    leave: { label: 'Take me off the list', href: leaveUrlOf(id, w.edition.facts, w) },
  };
}

export function leaveUrlOf(
  subject: string,
  { endsAt }: { endsAt: string },
  { links }: MessageContext,
): string {
  return links.url('leave', { subject, expiresAt: new Date(endsAt) });
}
