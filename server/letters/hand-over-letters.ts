import { isUnreachable } from '#server/record/bounces.ts';
import { pendingHandOver } from '#server/record/hand-over.ts';
import { hasPlace } from '#server/record/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { hoursAfter, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { isNews } from './record-facts.ts';
import { button, heading } from './render/letter.ts';
import { pageUrlOf } from './render/links.ts';
import { cleanName, isolate, safeName } from './render/names.ts';
import { dayOf, daysOf, momentOf, ownPageButton } from './render/parts.ts';
import { scheduleBlocks } from './render/schedule-table.ts';
import { policies } from './welcome.ts';

/** For so many days it is news that a place was handed over. */
const TOLD_DAYS = 30;

const named = (name: string): string => isolate(safeName(cleanName(name)));

/** The letters with which a place is handed over from one person to another, and those that say that it was. */
export const handOverLetters = {
  /** To her who has the place: her page asks her whether she agrees. */
  'hand-over-asked': {
    name: 'Please agree to handing over your place',
    subject: ({ facts }) => `Do you hand your place over? ${facts.title}`,
    now(record, now) {
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
    now(record, now) {
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
    now(record, now) {
      const { handedOver, edition, agreement } = record;
      if (!handedOver || !isNews(handedOver.at, TOLD_DAYS, now) || !hasPlace(record)) return undefined;
      if (now >= new Date(edition.facts.endsAt) || isUnreachable(record)) return undefined;
      return { at: handedOver.at.toISOString(), ...(agreement && { termsVersion: agreement.version }) };
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
    now({ handedOver, registrant, deposit }, now) {
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
