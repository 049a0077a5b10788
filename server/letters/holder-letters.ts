import type { MailOf } from '#server/mail/job.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { isOfHolderBefore, pendingHandOver } from '#server/registration/hand-over.ts';
import { sumOfCents } from '#server/registration/ledger.ts';
import { confirmEndsAt, linkDigest } from '#server/registration/links.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasOwnPage, hasPlace } from '#server/registration/registration-state.ts';
import { cancelTexts } from '#shared/content/cancel-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
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
      const { registration, linksEpoch: epoch = 0, to } = letter;
      const at = new Date(letter.at);
      const expiresAt = confirmEndsAt({ at });
      const link = { subject: registration, epoch, digest: linkDigest(to, at), expiresAt };
      const href = context.links.url('confirm', link);
      const until = tellMoment(expiresAt, timetable, letter.timeZone);
      return {
        preheader: 'One click confirms it.',
        title: 'Please confirm your new address',
        blocks: [
          `Someone asked us, on the page of a registration for ${facts.title}, to send all further e-mails to this address. If that was you, please confirm it. The link opens a page with one button.`,
          button('Confirm this address', href),
          `The link works until ${until}. Until you confirm this address, we keep writing to the one we have.`,
          'If that wasn’t you, there is nothing you need to do: nothing changes unless you confirm.',
        ],
        reason: `You received this e-mail because your address was entered for a registration at ${pageUrlOf(context)}.`,
      };
    },
    samples: (edition) => ({ usual: { ...sampleMoment(edition), to: 'new@example.org' } }),
  },

  /**
   * To her previous address: which registration it was about, when it was changed and by whom, and what to do.
   */
  'address-changed': {
    name: 'Your e-mails go to another address now',
    subject: ({ facts }) => `Your e-mails go to another address now: ${facts.title}`,
    factsAt(record, now) {
      const { registrant, deposit, corrections } = record;
      const { was: to, at, by } = corrections.email ?? {};
      if (deposit !== 'paid' || !to || !at || !isNews(at, 30, now)) return undefined;
      if (isSameAddress(to, registrant.email)) return undefined;
      return { to, at: at.toISOString(), by: by === HERSELF ? 'herself' : 'the office' };
    },
    says: (letter, edition, context) => ({
      preheader: 'If that wasn’t you, please tell the office.',
      title: 'Your e-mails go to another address now',
      blocks: [
        `The e-mail address for a registration for ${edition.facts.title} was changed. This is our last e-mail to the previous address.`,
        factTable([
          { label: 'Name', value: isolate(safeName(fullName(letter))) },
          { label: 'Reference', value: letter.registration },
          { label: 'New address', value: isolate(masked(letter.email)) },
          { label: 'Changed', value: momentOf(letter.at, letter, edition) },
          { label: 'How', value: letter.by === 'herself' ? 'On your own page' : 'By the retreat office' },
        ]),
      ],
      questions: `If that wasn’t you, please call the office at ${context.office.phone} or write to ${context.office.email}, and we will put it right. The links to your page in earlier e-mails no longer work.`,
      reason: `You received this e-mail because this address used to get the e-mails about a registration at ${pageUrlOf(context)}.`,
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
    subject: ({ facts }) => `Are you giving your place to someone else? ${facts.title}`,
    factsAt(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending || pending.agreedAt) return undefined;
      const { at, firstName, lastName, until } = pending;
      return { at: at.toISOString(), name: `${firstName} ${lastName}`, until: until.toISOString() };
    },
    says(letter, edition, context) {
      const who = named(letter.name) || 'someone else';
      return {
        preheader: 'Nothing happens unless you agree on your page.',
        title: 'Are you giving your place to someone else?',
        blocks: [
          `The retreat office has noted that you want to give your place in ${edition.facts.title} to ${who}. If that is right, please open your page, read what it means, and agree.`,
          ownPageButton(letter, edition, context),
          `We then e-mail ${who}, who gets the place by accepting the terms by ${lastMoment(letter, edition)}. Until then the place is yours, and you can change your mind.`,
          'If that is not right, there is nothing you need to do: nothing changes unless you agree.',
        ],
      };
    },
    samples: (edition) => ({ usual: sampleAsked(edition) }),
  },

  /** To who is to get it, once she has agreed: the link is made when the letter is rendered. */
  'hand-over-offered': {
    name: 'To somebody else: a place is handed over to you',
    subject: ({ facts }) => `Someone is giving you their place: ${facts.title}`,
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
      const { registration: subject, linksEpoch: epoch = 0, to } = letter;
      const digest = linkDigest(to, new Date(letter.decidedAt));
      const href = context.links.url('take', { subject, epoch, digest, expiresAt: new Date(letter.until) });
      const who = named(letter.from) || 'Someone';
      return {
        preheader: `${daysOf(edition)}, live online.`,
        title: 'A place for you',
        blocks: [
          `${who} is giving you a place in ${facts.title}, ${daysOf(edition)}. The link opens a page that shows what is paid, what is left to pay, and the terms. The place is yours once you accept them there.`,
          button('See the place', href),
          `The link works until ${lastMoment(letter, edition)}. Anyone who has it can take the place, so please keep it to yourself.`,
          'If you don’t want the place, there is nothing you need to do: nothing changes unless you accept.',
        ],
        reason: `You received this e-mail because someone with a place at ${pageUrlOf(context)} wants you to have it.`,
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
          `The place you were given is now yours, and we look forward to meeting you, live online, on ${days}. Open the attached file, ${facts.calendar.fileName}, to add every session to your calendar.`,
          'You have a page of your own: your place, the schedule, what is paid and what is due. The link opens it without a password, so please keep it to yourself.',
          ownPageButton(letter, edition, context),
          'What was paid before stays paid. We never charge your card without another e-mail that tells you when and how much, at least three days ahead. If you cancel, any refund goes to the card that paid. Any money between you and the person who gave you the place is between the two of you.',
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
    subject: ({ facts }) => `Your place has been passed on: ${facts.title}`,
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
      preheader: 'Nothing more will be charged to your card.',
      title: 'Your place has been passed on',
      blocks: [
        `${named(letter.name) || 'Someone else'} accepted your place in ${edition.facts.title} on ${momentOf(letter.at, { timeZone: '' }, edition)}. Your registration has now ended: your page is closed, the links in our e-mails no longer work, and your card will not be charged again.`,
        'What you have paid stays with the place. Any money between the two of you is up to you.',
        'Thank you for finding someone to come in your place. This is our last e-mail about it, unless something of what you paid comes back to your card.',
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

  /** To her who had it and paid for it: what went back to her card since. */
  'payer-refunded': {
    name: 'To who had the place: money has gone back to her card',
    subject: ({ facts }) => `A refund for you: ${facts.title}`,
    factsAt(record) {
      const { handedOver, refunds, deposit } = record;
      const made = refunds.filter((refund) => refund.status !== 'failed' && isOfHolderBefore(record, refund));
      const last = made.at(-1);
      if (deposit !== 'paid' || !handedOver?.email || !last) return undefined;
      // Of an earlier holder no address is kept: the office tells her.
      if (record.acts.filter(({ kind }) => kind === 'handed-over').length > 1) return undefined;
      const { firstName, lastName, email: to } = handedOver;
      const same = made.filter(({ orderedBy }) => orderedBy === last.orderedBy);
      return { to, addressee: { firstName, lastName }, at: last.at.toISOString(), cents: sumOfCents(same) };
    },
    says(letter, { facts: { title } }, context) {
      const sum = formatCents(letter.cents);
      return {
        preheader: `${sum} is on its way to your card.`,
        title: `${sum} is on its way to you`,
        blocks: [
          `You paid for a place in ${title} and passed it on. It was cancelled or paid twice since, and what is refunded goes back to the card that paid: ${sum} is on its way to yours. ${cancelTexts.banks}`,
        ],
        questions: `If anything is unclear, please call the office at ${context.office.phone}, or write to ${context.office.email}.`,
        reason: `You received this e-mail because you paid for a place at ${pageUrlOf(context)}.`,
      };
    },
    samples: (edition) => ({
      usual: {
        to: 'jane@example.org',
        addressee: { firstName: 'Jane', lastName: 'Smith' },
        at: sampleFacts(edition).earlier,
        cents: 70_000,
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
      preheader: 'If it wasn’t, you can shut that person out.',
      title: 'Was that you?',
      blocks: [
        `On ${momentOf(letter.at, letter, edition)}, someone tried to do something on your page for ${edition.facts.title} that only you may do, and the proof of identity was wrong for the third time. Nothing was changed.`,
        'If that was you, simply try again.',
        `If it wasn’t you, someone else has a link to your page, perhaps from a forwarded e-mail. In that case, open your page and press “${ownPageWords.close}” at the bottom. Earlier links and open browsers will no longer work, and we send a new link to this address only.`,
        ownPageButton(letter, edition, context),
      ],
      questions: `If you can’t open your page, call the office at ${context.office.phone}, or write to ${context.office.email}, and we will close it for you.`,
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
        `Here is the link to your own page for ${edition.facts.title}. It shows your place, the schedule, what is paid and what is left to pay, and the e-mails we sent you.`,
        ownPageButton(letter, edition, context),
        `The link works without a password until ${lastDayOfLinks(edition)}, so please keep it to yourself. Opening it changes nothing.`,
        'You are getting this e-mail because someone asked for it with your e-mail address or closed your page everywhere, or because the retreat office sent it. Links in earlier e-mails may no longer work. If you don’t know why, there is nothing you need to do: no one else got this link.',
      ],
    }),
    samples: () => ({ usual: { request: '2025-12-22-1' } }),
  },

  /** At most once a day, however many links were taken. */
  'page-seen': {
    name: 'The office has asked to see your page',
    subject: ({ facts }) => `The retreat office asked to see your page: ${facts.title}`,
    factsAt(record, now) {
      const at = record.officeLinks.at(-1)?.at;
      if (!hasOwnPage(record) || !at || !isNews(at, 30, now)) return undefined;
      return { day: dateAt(at, record.edition.timetable.timeZone.id) };
    },
    says: (letter, edition, context) => ({
      preheader: 'It could only read your page.',
      title: 'The office asked to see your page',
      blocks: [
        `On ${formatDate(letter.day)} the retreat office used a link that shows your page, to see what you see. It could only read the page: no one but you can change anything there.`,
        ownPageButton(letter, edition, context),
        'If you haven’t asked the office for anything and wonder why, please ask us: we have a record of who used the link.',
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
