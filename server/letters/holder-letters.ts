import {
  actsOfHolder,
  confirmEndsAt,
  factsOfAct,
  HERSELF,
  hasOwnPage,
  hasPlace,
  isOfHolderBefore,
  isUnreachable,
  linkDigest,
  nameOf,
  pendingHandOver,
  type RegistrationRecord,
  sumOfCents,
} from '#server/registration/registration.ts';
import { cancelTexts } from '#shared/content/cancel-words.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import {
  ELSEWHERE,
  isNews,
  type LetterKinds,
  type Mail,
  mailAbout,
  type RegistrationLetter,
  type RequestedLetter,
  TO_HER,
} from './letter-kind.ts';
import { button, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate, safeName } from './render/names.ts';
import {
  daysOf,
  lastDayOfLinks,
  type MessageContext,
  pageButton,
  pageUrlOf,
  type Writing,
} from './render/parts.ts';
import { attachedWords, calendarFile, nextDates, policiesFile } from './welcome.ts';

export const addressLetters = {
  /** To a new address that she asked for: the link that confirms it. */
  'confirm-address': {
    ...ELSEWHERE,
    name: 'Please confirm your new address',
    subject: ({ facts }) => `Is this your new e-mail address? ${facts.title}`,
    names: 'none',
    due(record, now) {
      const { addressAsked: asked, deposit, id, linksEpoch: epoch } = record;
      const expiresAt = confirmUntil(record);
      if (deposit !== 'paid' || !asked || !expiresAt || now >= expiresAt) return undefined;
      return {
        key: [asked.at],
        at: asked.at,
        to: { email: asked.to },
        says(w) {
          const digest = linkDigest(asked.to, asked.at);
          const href = w.links.url('confirm', { subject: id, epoch, digest, expiresAt });
          return {
            preheader: 'One click confirms it.',
            title: 'Please confirm your new address',
            blocks: [
              `Someone asked us, on the page of a registration for ${w.edition.facts.title}, to send all further e-mails to this address. If that was you, please confirm it. The link opens a page with one button.`,
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
    ...ELSEWHERE,
    name: 'Your e-mails go to another address now',
    subject: ({ facts }) => `Your e-mails go to another address now: ${facts.title}`,
    due(record, now) {
      const { registrant, deposit, acts } = record;
      if (deposit !== 'paid') return undefined;
      return actsOfHolder(acts).flatMap((act) => {
        if (act.kind !== 'corrected' || !isNews(act.happenedAt, 30, now)) return [];
        const { detail, was, at, by } = factsOfAct(act, 'corrected');
        if (detail !== 'email' || isSameAddress(was, registrant.email)) return [];
        return {
          key: [act.id],
          at,
          to: { email: was },
          says: (w) => ({
            preheader: 'If that wasn’t you, please tell the office.',
            title: 'Your e-mails go to another address now',
            blocks: [
              `The e-mail address for a registration for ${w.edition.facts.title} was changed. This is our last e-mail to the previous address.`,
              factTable([
                { label: 'Name', value: isolate(safeName(fullName(registrant))) },
                { label: 'Reference', value: record.id },
                { label: 'New address', value: isolate(masked(registrant.email)) },
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
} satisfies LetterKinds<RegistrationLetter>;

export function confirmUntil({ addressAsked, registrant }: RegistrationRecord): Date | undefined {
  if (!addressAsked || isSameAddress(addressAsked.to, registrant.email)) return undefined;
  return confirmEndsAt(addressAsked);
}

export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `w•••@e•••.org`: enough for the owner to recognize it, too little to write to it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ending = domain.slice(domain.lastIndexOf('.') + 1);
  const [first = ''] = address;
  const [initial = ''] = domain;
  return `${first}•••@${initial}•••.${ending}`;
}

/** For so many days it is news that a place was handed over. */
const TOLD_DAYS = 30;

const named = (name: string): string => isolate(safeName(cleanName(name)));

export const handOverLetters = {
  /** To her who has the place: her page asks her whether she agrees. */
  'hand-over-asked': {
    ...TO_HER,
    name: 'Please agree to handing over your place',
    subject: ({ facts }) => `Are you giving your place to someone else? ${facts.title}`,
    due(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending || pending.agreedAt) return undefined;
      return {
        key: [pending.at],
        at: pending.at,
        says(w) {
          const who = named(nameOf(pending)) || 'someone else';
          return {
            preheader: 'Nothing happens unless you agree on your page.',
            title: 'Are you giving your place to someone else?',
            blocks: [
              `The retreat office has noted that you want to give your place in ${w.edition.facts.title} to ${who}. If that is right, please open your page, read what it means, and agree.`,
              pageButton(record, w, 'See what it means'),
              `We then e-mail ${who}, who gets the place by accepting the terms by ${endOfDayBefore(pending.until, w)}. Until then the place is yours, and you can change your mind.`,
              'If that is not right, there is nothing you need to do: nothing changes unless you agree.',
            ],
          };
        },
      };
    },
  },

  /** To who is to get it, once she has agreed. */
  'hand-over-offered': {
    ...ELSEWHERE,
    name: 'To somebody else: a place is handed over to you',
    subject: ({ facts }) => `Someone is giving you their place: ${facts.title}`,
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
            preheader: `${days}, live online.`,
            title: 'A place for you',
            blocks: [
              `${named(registrant.firstName) || 'Someone'} is giving you a place in ${w.edition.facts.title}, ${days}. The link opens a page that shows what is paid, what is left to pay, and the terms. The place is yours once you accept them there.`,
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

  /** To her who has it since, in place of the welcome. */
  'handed-over': {
    ...TO_HER,
    name: 'The place is yours',
    subject: ({ facts }) => `The place is yours: ${facts.title}`,
    due(record, now) {
      const { handedOver, edition } = record;
      if (!handedOver || !isNews(handedOver.at, TOLD_DAYS, now) || !hasPlace(record)) return undefined;
      if (now >= new Date(edition.facts.endsAt) || isUnreachable(record)) return undefined;
      return {
        key: [handedOver.at],
        says(w) {
          const days = daysOf(w.edition);
          return {
            preheader: `Your place is reserved, ${days}. The calendar file is attached.`,
            title: 'Welcome. The place is yours.',
            blocks: [
              `The place you were given is now yours, and we look forward to meeting you, live online, on ${days}.`,
              pageButton(record, w, 'Open your own page'),
              'Your own page shows the schedule and what is due, and leads to the room. It opens without a password: please keep the link to yourself.',
              'What was paid before stays paid. We never charge your card without another e-mail that tells you when and how much, at least three days ahead. If you cancel, any refund goes to the card that paid. Any money between you and the person who gave you the place is between the two of you.',
              heading('What comes next'),
              factTable(nextDates(w, now)),
              ...attachedWords(record, w),
            ],
            closing: 'Until we meet,',
            reason: `You received this e-mail because you accepted a place at ${pageUrlOf(w)}.`,
            attachments: [calendarFile(w), policiesFile(record, w)],
          };
        },
      };
    },
  },

  /** To each who had it: that nothing more is charged to her. */
  'handed-away': {
    ...ELSEWHERE,
    name: 'To who had the place: it is handed over',
    subject: ({ facts }) => `Your place has been passed on: ${facts.title}`,
    due({ acts, registrant, deposit }, now) {
      if (deposit !== 'paid') return undefined;
      const all = acts.filter(({ kind }) => kind === 'handed-over');
      return all.flatMap((act, index) => {
        const { firstName, lastName, email, at } = factsOfAct(act, 'handed-over');
        if (!email || !isNews(at, TOLD_DAYS, now)) return [];
        const next = all[index + 1];
        const taker = next ? factsOfAct(next, 'handed-over') : registrant;
        return {
          key: [act.id],
          to: { email, firstName, lastName },
          says: (w) => ({
            preheader: 'Nothing more will be charged to your card.',
            title: 'Your place has been passed on',
            blocks: [
              `${named(nameOf(taker)) || 'Someone else'} accepted your place in ${w.edition.facts.title} on ${tellMoment(at, w.edition.timetable)}. Your registration has now ended: your page is closed, the links in our e-mails no longer work, and your card will not be charged again.`,
              'What you have paid stays with the place. Any money between the two of you is up to you.',
              'Thank you for finding someone to come in your place. This is our last e-mail about it, unless something of what you paid comes back to your card.',
            ],
            questions: `If that is not right, please ${callOrWrite(w)}.`,
            reason: `You received this e-mail because you had a place at ${pageUrlOf(w)}.`,
          }),
        };
      });
    },
  },

  /** To her who had it and paid for it: what went back to her card since, each time. */
  'payer-refunded': {
    ...ELSEWHERE,
    name: 'To who had the place: money has gone back to her card',
    subject: ({ facts }) => `A refund for you: ${facts.title}`,
    due(record, now) {
      const { handedOver, refunds, deposit, acts } = record;
      if (deposit !== 'paid' || !handedOver?.email) return undefined;
      // Of an earlier holder no address is kept: the office tells her.
      if (acts.filter(({ kind }) => kind === 'handed-over').length > 1) return undefined;
      const made = refunds.filter(
        ({ status, ...one }) => status !== 'failed' && isOfHolderBefore(record, one),
      );
      const { firstName, lastName, email } = handedOver;
      const orders = new Set(made.map(({ orderedBy, id }) => orderedBy ?? id));
      return [...orders].flatMap((order) => {
        const same = made.filter(({ orderedBy, id }) => (orderedBy ?? id) === order);
        const [first] = same;
        return first && isNews(first.at, TOLD_DAYS, now)
          ? {
              key: [order],
              at: first.at,
              to: { email, firstName, lastName },
              says(w) {
                const sum = formatCents(sumOfCents(same));
                return {
                  preheader: `${sum} is on its way to your card.`,
                  title: `${sum} is on its way to you`,
                  blocks: [
                    `You paid for a place in ${w.edition.facts.title} and passed it on. It was cancelled or paid twice since, and what is refunded goes back to the card that paid: ${sum} is on its way to yours. ${cancelTexts.banks}`,
                  ],
                  questions: `If anything is unclear, please ${callOrWrite(w)}.`,
                  reason: `You received this e-mail because you paid for a place at ${pageUrlOf(w)}.`,
                };
              },
            }
          : [];
      });
    },
  },
} satisfies LetterKinds<RegistrationLetter>;

const callOrWrite = ({ office }: MessageContext): string =>
  `call the office at ${office.phone}, or write to ${office.email}`;

function endOfDayBefore(until: Date, { day }: Writing): string {
  return `the end of ${day(new Date(until.getTime() - 1))}`;
}

export const placeLink = {
  /** One a day at most: of the third wrong proof. */
  'proof-failed': {
    ...TO_HER,
    name: 'Somebody else may be on your page',
    subject: ({ facts }) => `Was that you on your page? ${facts.title}`,
    due(record, now) {
      const { proofFailedAt: at } = record;
      if (!hasOwnPage(record) || !at || !isNews(at, 3, now)) return undefined;
      return {
        key: [at],
        at,
        says: (w) => ({
          preheader: 'If it wasn’t, you can shut that person out.',
          title: 'Was that you?',
          blocks: [
            `On ${w.moment(at)}, someone tried to do something on your page for ${w.edition.facts.title} that only you may do, and the proof of identity was wrong for the third time. Nothing was changed.`,
            'If that was you, simply try again.',
            `If it wasn’t you, someone else has a link to your page, perhaps from a forwarded e-mail. In that case, open your page and press “${ownPageWords.close}” at the bottom. Earlier links and open browsers will no longer work, and we send a new link to this address only.`,
            pageButton(record, w, 'Your own page'),
          ],
          questions: `If you can’t open your page, ${callOrWrite(w)}, and we will close it for you.`,
        }),
      };
    },
  },

  /** For a registrant who asked for it by entering her e-mail address, or by closing her page everywhere. */
  'place-link': {
    about: 'request',
    to: 'registrant',
    name: 'The link to your page',
    subject: ({ facts }) => `The link to your own page: ${facts.title}`,
  },

  /** At most once a day, however many links were taken. */
  'page-seen': {
    ...TO_HER,
    name: 'The office has asked to see your page',
    subject: ({ facts }) => `The retreat office asked to see your page: ${facts.title}`,
    due(record, now) {
      const { at } = record.officeLinks.at(-1) ?? {};
      if (!hasOwnPage(record) || !at || !isNews(at, 30, now)) return undefined;
      const day = dateAt(at, record.edition.timetable.timeZone.id);
      return {
        key: [day],
        says: (w) => ({
          preheader: 'It could only read your page.',
          title: 'The office asked to see your page',
          blocks: [
            `On ${formatDate(day)} the retreat office used a link that shows your page, to see what you see. It could only read the page: no one but you can change anything there.`,
            pageButton(record, w, 'Your own page'),
            'If you haven’t asked the office for anything and wonder why, please ask us: we have a record of who used the link.',
          ],
        }),
      };
    },
  },
} satisfies LetterKinds<RegistrationLetter | RequestedLetter>;

/** The day and the minute of the day, so that there is one letter in a minute. */
export function requestAt(at: Date): string {
  const day = at.toISOString().slice(0, 'yyyy-mm-dd'.length);
  return `${day}-${at.getUTCHours() * 60 + at.getUTCMinutes()}`;
}

/** @param request when it was asked for, as `requestAt`, or how often her links had been renewed */
export function placeLinkLetter(record: RegistrationRecord, request: string): Mail | undefined {
  if (!hasOwnPage(record) || isUnreachable(record)) return undefined;
  return mailAbout(record, 'place-link', placeLink['place-link'], {
    version: request,
    says: (w) => ({
      preheader: 'It opens your place, your payments and the schedule.',
      title: 'Your own page',
      blocks: [
        `Here is the link to your own page for ${w.edition.facts.title}. It shows your place, the schedule, what is paid and what is left to pay, and the e-mails we sent you.`,
        pageButton(record, w, 'Your own page'),
        `The link works without a password until ${lastDayOfLinks(w)}, so please keep it to yourself. Opening it changes nothing.`,
        'You are getting this e-mail because someone asked for it with your e-mail address or closed your page everywhere, or because the retreat office sent it. Links in earlier e-mails may no longer work. If you don’t know why, there is nothing you need to do: no one else got this link.',
      ],
    }),
  });
}
