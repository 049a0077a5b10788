import {
  actsOfHolder,
  confirmEndsAt,
  factsOfAct,
  HERSELF,
  hasOwnPage,
  isUnreachable,
  linkDigest,
  nameOf,
  pendingHandOver,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import {
  type LetterKinds,
  type Mail,
  mailOf,
  type RegistrationLetter,
  type RequestedLetter,
} from './letter-kind.ts';
import { button, factTable } from './render/letter.ts';
import { cleanName, fullName, isolate, safeName } from './render/names.ts';
import { daysOf, lastDayOfLinks, pageButton, pageUrlOf, type Writing, waysToAsk } from './render/parts.ts';

export const holderLetters = {
  'confirm-address': {
    to: 'elsewhere',
    name: 'Please confirm your new address',
    names: 'none',
    due(record, now) {
      const { addressAsked: asked, deposit, id, linksEpoch: epoch } = record;
      const expiresAt = confirmUntil(record);
      if (deposit !== 'paid' || !asked || !expiresAt || now >= expiresAt) return undefined;
      return {
        at: asked.at,
        to: { email: asked.to },
        says(w) {
          const digest = linkDigest(asked.to, asked.at);
          const href = w.links.url('confirm', { subject: id, epoch, digest, expiresAt });
          return {
            title: 'Please confirm your new address',
            blocks: [
              `Someone asked us, on the page of a registration for ${w.title}, to send all further e-mails to this address. If that was you, please confirm it. The link opens a page with one button.`,
              button('Confirm this address', href),
              `The link works until ${w.moment(expiresAt)}. Until you confirm this address, we keep writing to the one we have.`,
              'If that wasn’t you, there is nothing you need to do: nothing changes unless you confirm.',
            ],
            reason: `You received this e-mail because your address was entered for a registration at ${pageUrlOf(w)}.`,
          };
        },
      };
    },
  },

  /** To each previous address: which registration it was, when and by whom it was changed, what to do. */
  'address-changed': {
    to: 'elsewhere',
    name: 'Your e-mails go to another address now',
    newsDays: 30,
    due(record) {
      const { registrant, deposit, acts } = record;
      if (deposit !== 'paid') return undefined;
      return actsOfHolder(acts).flatMap((act) => {
        if (act.kind !== 'corrected') return [];
        const { detail, was, at, by } = factsOfAct(act, 'corrected');
        if (detail !== 'email' || isSameAddress(was, registrant.email)) return [];
        return {
          key: [act.id],
          at,
          to: { email: was },
          says: (w) => ({
            title: 'Your e-mails go to another address now',
            blocks: [
              `The e-mail address for a registration for ${w.title} was changed. This is our last e-mail to the previous address.`,
              factTable([
                { label: 'Name', value: isolate(safeName(fullName(registrant))) },
                { label: 'Reference', value: record.id },
                { label: 'Changed', value: w.moment(at) },
                { label: 'How', value: by === HERSELF ? 'On your own page' : 'By the retreat office' },
              ]),
            ],
            questions: `If that wasn’t you, please call the office at ${w.office.phone} or write to ${w.office.email}, and we will put it right. The links to your page in earlier e-mails no longer work.`,
            reason: `You received this e-mail because this address used to get the e-mails about a registration at ${pageUrlOf(w)}.`,
          }),
        };
      });
    },
  },

  'hand-over-asked': {
    name: 'Please agree to handing over your place',
    due(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending || pending.agreedAt) return undefined;
      return {
        at: pending.at,
        says(w) {
          const who = named(nameOf(pending)) || 'someone else';
          return {
            title: 'Are you giving your place to someone else?',
            blocks: [
              `The retreat office has noted that you want to give your place in ${w.title} to ${who}. If that is right, please open your page, read what it means, and agree.`,
              pageButton(record, w, 'See what it means'),
              `We then e-mail ${who}, who gets the place by accepting the terms by ${endOfDayBefore(pending.until, w)}. Until then the place is yours, and you can change your mind.`,
              'If that is not right, there is nothing you need to do: nothing changes unless you agree.',
            ],
          };
        },
      };
    },
  },

  'hand-over-offered': {
    to: 'elsewhere',
    name: 'To somebody else: a place is handed over to you',
    due(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending?.agreedAt) return undefined;
      const { agreedAt, email, firstName, lastName, until: expiresAt } = pending;
      return {
        key: [agreedAt],
        at: agreedAt,
        to: { email, firstName, lastName },
        says(w) {
          const { id: subject, linksEpoch: epoch, registrant } = record;
          const digest = linkDigest(email, pending.at);
          const href = w.links.url('take', { subject, epoch, digest, expiresAt });
          const days = daysOf(w.edition);
          return {
            title: 'A place for you',
            blocks: [
              `${named(registrant.firstName) || 'Someone'} is giving you a place in ${w.title}, ${days}. The link opens a page that shows what is paid, what is left to pay, and the terms. The place is yours once you accept them there.`,
              button('See the place', href),
              `The link works until ${endOfDayBefore(expiresAt, w)}. Anyone who has it can take the place, so please keep it to yourself.`,
              'If you don’t want the place, there is nothing you need to do: nothing changes unless you accept.',
            ],
            reason: `You received this e-mail because someone with a place at ${pageUrlOf(w)} wants you to have it.`,
          };
        },
      };
    },
  },

  'handed-away': {
    to: 'elsewhere',
    name: 'To who had the place: it is handed over',
    newsDays: 30,
    due({ acts, deposit }) {
      if (deposit !== 'paid') return undefined;
      return acts.flatMap((act) => {
        if (act.kind !== 'handed-over') return [];
        const { firstName, lastName, email, at } = factsOfAct(act, 'handed-over');
        if (!email) return [];
        return {
          key: [act.id],
          at,
          to: { email, firstName, lastName },
          says: (w) => ({
            title: 'Your place has been passed on',
            blocks: [
              `Your place in ${w.title} was accepted on ${tellMoment(at, w.edition.timetable)}. Your registration has now ended: your page is closed, the links in our e-mails no longer work, and your card will not be charged again.`,
              'What you have paid stays with the place. Any money between the two of you is up to you.',
              'Thank you for finding someone to come in your place. This is our last e-mail about it, unless something of what you paid comes back to your card.',
            ],
            questions: `If that is not right, please ${waysToAsk(w)}.`,
            reason: `You received this e-mail because you had a place at ${pageUrlOf(w)}.`,
          }),
        };
      });
    },
  },

  /** One a day at most: of the third wrong proof. */
  'proof-failed': {
    name: 'Somebody else may be on your page',
    newsDays: 3,
    due(record) {
      const { proofFailedAt: at } = record;
      if (!hasOwnPage(record) || !at) return undefined;
      return {
        at,
        says: (w) => ({
          title: 'Was that you on your page?',
          blocks: [
            `On ${w.moment(at)}, someone tried to do something on your page for ${w.title} that only you may do, and the proof of identity was wrong for the third time. Nothing was changed.`,
            'If that was you, simply try again.',
            `If it wasn’t you, someone else has a link to your page, perhaps from a forwarded e-mail. In that case, open your page and press “${ownPageWords.close}” at the bottom. Earlier links and open browsers will no longer work, and we send a new link to this address only.`,
            pageButton(record, w, 'Your own page'),
          ],
          questions: `If you can’t open your page, ${waysToAsk(w)}, and we will close it for you.`,
        }),
      };
    },
  },

  /** For a registrant who asked for it by entering her e-mail address, or by closing her page everywhere. */
  'place-link': {
    about: 'request',
    name: 'The link to your page',
  },
} satisfies LetterKinds<RegistrationLetter | RequestedLetter>;

export function confirmUntil({ addressAsked, registrant }: RegistrationRecord): Date | undefined {
  if (!addressAsked || isSameAddress(addressAsked.to, registrant.email)) return undefined;
  return confirmEndsAt(addressAsked);
}

export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The day and the minute of the day, so that there is one letter in a minute. */
export function requestAt(at: Date): string {
  const day = at.toISOString().slice(0, 'yyyy-mm-dd'.length);
  return `${day}-${at.getUTCHours() * 60 + at.getUTCMinutes()}`;
}

/** @param request when it was asked for, as `requestAt`, or how often her links had been renewed */
export function placeLinkLetter(record: RegistrationRecord, request: string): Mail | undefined {
  if (!hasOwnPage(record) || isUnreachable(record)) return undefined;
  return mailOf('place-link', holderLetters['place-link'], record, {
    version: request,
    says: (w) => ({
      title: 'Your own page',
      blocks: [
        `Here is the link to your own page for ${w.title}. It shows your place, the schedule, what is paid and what is left to pay, and the e-mails we sent you.`,
        pageButton(record, w, 'Your own page'),
        `The link works without a password until ${lastDayOfLinks(w)}, so please keep it to yourself. Opening it changes nothing.`,
        'You are getting this e-mail because someone asked for it with your e-mail address or closed your page everywhere, or because the retreat office sent it. Links in earlier e-mails may no longer work. If you don’t know why, there is nothing you need to do: no one else got this link.',
      ],
    }),
  });
}

const named = (name: string): string => isolate(safeName(cleanName(name)));

function endOfDayBefore(until: Date, { day }: Writing): string {
  return `the end of ${day(new Date(until.getTime() - 1))}`;
}
