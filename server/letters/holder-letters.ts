import { confirmEndsAt } from '#server/links/links.ts';
import type { MailOf } from '#server/mail/job.ts';
import { HERSELF } from '#server/record/acts.ts';
import { isUnreachable } from '#server/record/bounces.ts';
import { pendingHandOver } from '#server/record/hand-over.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { hasOwnPage, hasPlace } from '#server/record/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { factsOf, hoursAfter, isNews, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { button, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate, safeName } from './render/names.ts';
import {
  dayOf,
  daysOf,
  lastDayOfLinks,
  momentOf,
  ownPageButton,
  pageUrlOf,
  scheduleBlocks,
} from './render/parts.ts';
import { policies } from './welcome.ts';

/** The letters about her address, the only ones that do not go to her current address. */
export const addressLetters = {
  /** To a new address that she asked for: the link that confirms it, made when the letter is rendered. */
  'confirm-address': {
    name: 'Please confirm your new address',
    subject: ({ facts }) => `Is this your new e-mail address? ${facts.title}`,
    names: 'none',
    factsAt(record, now) {
      const { addressAsked, deposit } = record;
      const until = confirmUntil(record);
      if (deposit !== 'paid' || !addressAsked || !until || now >= until) return undefined;
      return { to: addressAsked.to, at: addressAsked.at.toISOString() };
    },
    says(letter, { facts, timetable }, context) {
      const { paymentIntentId: deposit, linksEpoch: epoch = 0, to } = letter;
      const asked = { to, at: new Date(letter.at) };
      const href = context.links.confirmUrl({ deposit, epoch }, asked);
      const until = tellMoment(confirmEndsAt(asked), timetable, letter.timeZone);
      return {
        preheader: 'One press confirms it.',
        title: 'Please confirm your new address',
        blocks: [
          `Somebody asked, on the page of a registration for ${facts.title}, that our letters go to this address from now on. If that was you, please confirm it. The link opens a page with one button.`,
          button('Confirm this address', href),
          `The link can be used until ${until}. Our letters go to the address that we have until you confirm this one.`,
          'If that was not you, there is nothing to do: without that press nothing changes.',
        ],
        reason: `You received this e-mail because your address was entered on the page of a registration at ${pageUrlOf(context)}.`,
      };
    },
    samples: (edition) => ({ usual: { ...sampleMoment(edition), to: 'new@example.org' } }),
  },

  /**
   * To her previous address: which registration it was about, when it was changed and by whom, and what to do.
   */
  'address-changed': {
    name: 'Your letters go to another address now',
    subject: ({ facts }) => `Your letters go to another address now: ${facts.title}`,
    factsAt(record, now) {
      const { registrant, deposit, corrections } = record;
      const { was: to, at, by } = corrections.email ?? {};
      if (deposit !== 'paid' || !to || !at || !isNews(at, 30, now)) return undefined;
      if (isSameAddress(to, registrant.email)) return undefined;
      return { to, at: at.toISOString(), by: by === HERSELF ? 'herself' : 'the office' };
    },
    says: (letter, edition, context) => ({
      preheader: 'If that was not you, please tell the office.',
      title: 'Your letters go to another address now',
      blocks: [
        `The e-mail address of a registration for ${edition.facts.title} was changed. This is the last letter to the previous address.`,
        factTable([
          { label: 'Name', value: isolate(safeName(fullName(letter))) },
          { label: 'Reference', value: letter.paymentIntentId },
          { label: 'New address', value: isolate(masked(letter.email)) },
          { label: 'Changed', value: momentOf(letter.at, letter, edition) },
          { label: 'How', value: letter.by === 'herself' ? 'On your own page' : 'By the retreat office' },
        ]),
      ],
      questions: `If that was not you, please call the office at ${context.office.phone}, or write to ${context.office.email}, and we will put it right. The links to your page in earlier letters no longer work.`,
      reason: `You received this e-mail because the letters about a registration at ${pageUrlOf(context)} went to this address.`,
    }),
    samples(edition) {
      const changed = { ...sampleMoment(edition), to: 'old@example.org' };
      return {
        usual: { ...changed, by: 'herself' },
        'by-the-office': { ...changed, by: 'the office' },
      };
    },
  },
} satisfies SomeLetters;

const sampleMoment = (edition: Edition) => ({ at: sampleFacts(edition).earlier });

/** Until when the requested address can be confirmed; undefined where there is none to confirm. */
export function confirmUntil({ addressAsked, registrant }: RegistrationRecord): Date | undefined {
  if (!addressAsked || isSameAddress(addressAsked.to, registrant.email)) return undefined;
  return confirmEndsAt(addressAsked);
}

/** Compares two e-mail addresses, ignoring case. */
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

/** The letters with which a place is handed over from one person to another, and those that say that it was. */
export const handOverLetters = {
  /** To her who has the place: her page asks her whether she agrees. */
  'hand-over-asked': {
    name: 'Please agree to handing over your place',
    subject: ({ facts }) => `Do you hand your place over? ${facts.title}`,
    factsAt(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending || pending.agreedAt) return undefined;
      const { at, firstName, lastName, until } = pending;
      return { at: at.toISOString(), name: `${firstName} ${lastName}`, until: until.toISOString() };
    },
    says(letter, edition, context) {
      const who = named(letter.name) || 'somebody else';
      return {
        preheader: 'Nothing happens unless you agree on your page.',
        title: 'Do you hand your place over?',
        blocks: [
          `The retreat office has noted that you want to hand your place in ${edition.facts.title} over to ${who}. If that is right, please open your page, read there what it means, and agree.`,
          ownPageButton(letter, edition, context),
          `Then ${who} gets a letter, and has the place once the terms are accepted there too, by ${lastMoment(letter, edition)}. Until that moment the place is yours, and you can change your mind.`,
          'If that is not right, there is nothing to do: without your press nothing changes.',
        ],
      };
    },
    samples: (edition) => ({ usual: sampleAsked(edition) }),
  },

  /** To who is to get it, once she has agreed: the link is made when the letter is rendered. */
  'hand-over-offered': {
    name: 'To somebody else: a place is handed over to you',
    subject: ({ facts }) => `A place is handed over to you: ${facts.title}`,
    factsAt(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending?.agreedAt) return undefined;
      const { at, agreedAt, email: to, firstName, lastName, until } = pending;
      return {
        to,
        addressee: { firstName, lastName },
        from: record.registrant.firstName,
        at: agreedAt.toISOString(),
        decidedAt: at.toISOString(),
        until: until.toISOString(),
      };
    },
    says(letter, edition, context) {
      const { facts } = edition;
      const { paymentIntentId: deposit, linksEpoch: epoch = 0, to: email } = letter;
      const offered = { email, at: new Date(letter.decidedAt), until: new Date(letter.until) };
      const who = named(letter.from) || 'Somebody';
      return {
        preheader: `${daysOf(edition)}, live online.`,
        title: 'A place is handed over to you',
        blocks: [
          `${who} hands a place in ${facts.title}, ${daysOf(edition)}, over to you. The link opens a page that shows what is paid and what is left, and the terms. The place is yours once you have accepted them there.`,
          button('See the place', context.links.takeUrl({ deposit, epoch }, offered)),
          `The link can be used until ${lastMoment(letter, edition)}. Whoever has it can take the place, so please keep it to yourself.`,
          'If you do not want the place, there is nothing to do: without your press nothing changes.',
        ],
        reason: `You received this e-mail because somebody who has a place at ${pageUrlOf(context)} wants you to have it.`,
      };
    },
    samples: (edition) => ({
      usual: {
        to: 'mary@example.org',
        addressee: { firstName: 'Mary', lastName: 'Smith' },
        from: 'Jane',
        decidedAt: sampleAsked(edition).at,
        until: sampleAsked(edition).until,
        at: hoursAfter(sampleAsked(edition).at, 5),
      },
    }),
  },

  /** To her who has it since, in place of the welcome. */
  'handed-over': {
    name: 'The place is yours',
    subject: ({ facts }) => `The place is yours: ${facts.title}`,
    hasCalendar: true,
    factsAt(record, now) {
      const { handedOver, edition, agreement } = record;
      if (!handedOver || !isNews(handedOver.at, TOLD_DAYS, now) || !hasPlace(record)) return undefined;
      if (now >= new Date(edition.facts.endsAt) || isUnreachable(record)) return undefined;
      return { at: handedOver.at.toISOString(), termsVersion: agreement?.version };
    },
    says(letter, edition, context) {
      const { facts, practicalFacts } = edition;
      const days = daysOf(edition);
      return {
        preheader: `Your place is reserved, ${days}. The calendar file is attached.`,
        title: 'Welcome. The place is yours.',
        blocks: [
          `The place that was handed over to you is yours, and we look forward to meeting you, live online, on ${days}. Open the attached file, ${facts.calendar.fileName}, to add every session to your calendar.`,
          'You have a page of your own: your place, the schedule, what is paid and what is due. The link opens it without a password, so please keep it to yourself.',
          ownPageButton(letter, edition, context),
          'What was paid before stays paid. Nothing is charged to your card before another letter has told you when and how much, at least three days ahead. What comes back if you cancel goes to the card that paid it, and what you give each other for the place is between the two of you.',
          ...scheduleBlocks(letter, edition),
          heading(practicalFacts.title),
          { kind: 'points', points: practicalFacts.facts },
          ...policies(letter, edition, context),
        ],
        closing: 'Until we meet,',
        reason: `You received this e-mail because you accepted a place at ${pageUrlOf(context)}.`,
      };
    },
    samples: (edition) => ({
      usual: { at: sampleFacts(edition).earlier, termsVersion: edition.terms.version },
    }),
  },

  /** To her who had it: that nothing more is charged to her. */
  'handed-away': {
    name: 'To who had the place: it is handed over',
    subject: ({ facts }) => `Your place is handed over: ${facts.title}`,
    factsAt({ handedOver, registrant, deposit }, now) {
      if (deposit !== 'paid' || !handedOver?.email || !isNews(handedOver.at, TOLD_DAYS, now))
        return undefined;
      const { firstName, lastName, email: to, at } = handedOver;
      return {
        to,
        addressee: { firstName, lastName },
        at: at.toISOString(),
        name: `${registrant.firstName} ${registrant.lastName}`,
      };
    },
    says: (letter, edition, context) => ({
      preheader: 'Nothing more is charged to your card.',
      title: 'Your place is handed over',
      blocks: [
        `${named(letter.name) || 'Somebody else'} has accepted your place in ${edition.facts.title}, on ${momentOf(letter.at, { timeZone: '' }, edition)}. With that your registration has ended: your page is closed, the links in our letters no longer work, and your card is not charged any more.`,
        'What you have paid stays paid for the place. What you give each other for it is between the two of you.',
        'Thank you for finding somebody to come in your stead. This is our last letter about it.',
      ],
      questions: `If that is not right, please call the office at ${context.office.phone}, or write to ${context.office.email}.`,
      reason: `You received this e-mail because you had a place at ${pageUrlOf(context)}.`,
    }),
    samples: (edition) => ({
      usual: {
        to: 'jane@example.org',
        addressee: { firstName: 'Jane', lastName: 'Smith' },
        at: sampleFacts(edition).earlier,
        name: 'Mary Smith',
      },
    }),
  },
} satisfies SomeLetters;

/** The moment before the last day for it is over. */
function lastMoment({ until }: { until: string }, edition: Edition): string {
  return `the end of ${dayOf(new Date(Date.parse(until) - 1).toISOString(), edition)}`;
}

function sampleAsked(edition: Edition) {
  const { facts } = edition;
  const until = facts.handOverUntil ?? facts.balance.refundsEndAt;
  return { at: sampleFacts(edition).earlier, name: 'Mary Smith', until };
}

/** The letters about who can open her page. */
export const placeLink = {
  /** One a day at most: of the third wrong proof. */
  'proof-failed': {
    name: 'Somebody else may be on your page',
    subject: ({ facts }) => `Was that you on your page? ${facts.title}`,
    factsAt(record, now) {
      const { proofFailedAt: at } = record;
      if (!hasOwnPage(record) || !at || !isNews(at, 3, now)) return undefined;
      return { at: at.toISOString() };
    },
    says: (letter, edition, context) => ({
      preheader: 'If it was not, you can shut that person out.',
      title: 'Was that you?',
      blocks: [
        `On ${momentOf(letter.at, letter, edition)}, somebody tried to do something on your page for ${edition.facts.title} that only you may do, and the proof of identity was wrong. Nothing was done.`,
        'If that was you, simply try it again.',
        `If it was not you, somebody else has a link to your page, perhaps from a letter that was passed on. Then open your page, and press “${ownPageWords.close}” at its end. Then no earlier link and no browser opens it any more, and a new link comes to this address alone.`,
        ownPageButton(letter, edition, context),
      ],
      questions: `If you cannot open your page, call the office at ${context.office.phone}, or write to ${context.office.email}, and we will close it for you.`,
    }),
    samples: (edition) => ({ usual: { at: sampleFacts(edition).earlier } }),
  },

  /** For a registrant who asked for it by entering her e-mail address, or by closing her page everywhere. */
  'place-link': {
    name: 'The link to your page',
    subject: ({ facts }) => `The link to your own page: ${facts.title}`,
    says: (letter, edition, context) => ({
      preheader: 'It opens your place, your payments and the schedule.',
      title: 'Your own page',
      blocks: [
        `Here is the link to your own page for ${edition.facts.title}. It shows your place, the schedule, what is paid and what is left, and your letters.`,
        ownPageButton(letter, edition, context),
        `It opens without a password until ${lastDayOfLinks(edition)}, so please keep it to yourself. Opening it changes nothing.`,
        'You get this letter because somebody asked for it with your e-mail address or closed your page everywhere, or because the retreat office sent it. Links in earlier letters may no longer work. If you do not know why, there is nothing to do: this link went to nobody else.',
      ],
    }),
    samples: () => ({ usual: { request: '2025-12-22-1' } }),
  },

  /** At most once a day, however many links were taken. */
  'page-seen': {
    name: 'The office has asked to see your page',
    subject: ({ facts }) => `The retreat office has asked to see your page: ${facts.title}`,
    factsAt(record, now) {
      const at = record.officeLinks.at(-1)?.at;
      if (!hasOwnPage(record) || !at || !isNews(at, 30, now)) return undefined;
      return { day: dateAt(at, record.edition.timetable.timeZone.id) };
    },
    says: (letter, edition, context) => ({
      preheader: 'It could only read it.',
      title: 'The office has asked to see your page',
      blocks: [
        `On ${formatDate(letter.day)} the retreat office took a link that shows your page, to see what you see there. It could only read it: nobody but you can act on your page.`,
        ownPageButton(letter, edition, context),
        'If you have not asked the office for anything, and wonder why, please ask: it is on record who took the link.',
      ],
    }),
    samples: (edition) => ({
      usual: { day: dateAt(new Date(sampleFacts(edition).earlier), edition.timetable.timeZone.id) },
    }),
  },
} satisfies SomeLetters;

/** Names a request for the link, so that there is one letter in a minute: the day, and the minute of the day. */
export function requestAt(at: Date): string {
  const day = at.toISOString().slice(0, 'yyyy-mm-dd'.length);
  return `${day}-${at.getUTCHours() * 60 + at.getUTCMinutes()}`;
}

/** The letter with the link to her page; undefined where she has no page, or no letter reaches her. */
export function placeLinkLetter(
  record: RegistrationRecord,
  request: string,
): MailOf<'place-link'> | undefined {
  return hasOwnPage(record) && !isUnreachable(record)
    ? { kind: 'place-link', ...factsOf(record), request }
    : undefined;
}
